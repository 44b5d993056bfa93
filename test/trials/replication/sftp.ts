// A replica at another host's disk by SFTP: Debian's OpenSSH server on this machine, with keys,
// a port and a folder of its own.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../scripts/free-port.js';

const SERVER = '/usr/sbin/sshd';
/** Where the server, started as root, leaves its rights. */
const SEPARATION_FOLDER = '/run/sshd';

export interface SftpServer {
  /** Lines of the replica in Litestream's file. */
  readonly replica: readonly string[];
  end(): Promise<void>;
}

/** Undefined where this machine has no OpenSSH server (Debian: openssh-server). */
export async function sftpServer(folder: string): Promise<SftpServer | undefined> {
  if (!existsSync(SERVER)) return undefined;
  const own = join(folder, 'sftp');
  const place = join(own, 'replica');
  mkdirSync(place, { recursive: true });
  if (userInfo().uid === 0) mkdirSync(SEPARATION_FOLDER, { recursive: true, mode: 0o755 });
  const [hostKey, userKey] = [join(own, 'host-key'), join(own, 'user-key')];
  for (const key of [hostKey, userKey]) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  }
  writeFileSync(join(own, 'authorized_keys'), readFileSync(`${userKey}.pub`));
  const port = await freePort();
  const config = join(own, 'sshd_config');
  writeFileSync(config, configOf({ own, hostKey, port }));
  const server = spawn(SERVER, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  await listens(server);
  return {
    replica: [
      `url: sftp://${userInfo().username}@127.0.0.1:${port}${place}`,
      `key-path: ${userKey}`,
    ],
    async end() {
      process.off('exit', kill);
      if (server.exitCode !== null) return;
      server.kill('SIGTERM');
      await once(server, 'close');
    },
  };
}

function configOf({ own, hostKey, port }: { own: string; hostKey: string; port: number }): string {
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${hostKey}`,
    `PidFile ${join(own, 'pid')}`,
    `AuthorizedKeysFile ${join(own, 'authorized_keys')}`,
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'UsePAM no',
    // The folder of a trial may be one that others can write to.
    'StrictModes no',
    'Subsystem sftp internal-sftp',
  ];
  return `${lines.join('\n')}\n`;
}

async function listens(server: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Server listening')) resolve();
    });
    server.once('close', () => reject(new Error(`the SFTP server ended: ${said}`)));
  });
}

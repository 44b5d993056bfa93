// PgBouncer in transaction mode, before a Postgres server of the tests. Debian's package has it.

import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.js';
import { asPostgres, openToPostgres } from '../../scripts/processes/postgres.js';
import { eventually } from './eventually.js';
import { startProgram } from './program.js';

const PROGRAM = '/usr/sbin/pgbouncer';

/** Why it cannot be had here; undefined where it can. */
export function pgBouncerIsMissing(): string | undefined {
  return existsSync(PROGRAM) ? undefined : 'PgBouncer is not installed (apt-get install pgbouncer)';
}

/** Resolves when it listens. `folder`: for its settings. `target`: the port of Postgres. */
export async function openPgBouncer(folder: string, target: number) {
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  openToPostgres(folder);
  const settings = join(folder, 'pgbouncer.ini');
  const lines = [
    ...['[databases]', `* = host=127.0.0.1 port=${target} user=service`],
    ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'auth_type = any'],
    ...['pool_mode = transaction', 'default_pool_size = 10', 'unix_socket_dir ='],
  ];
  writeFileSync(settings, `${lines.join('\n')}\n`);
  const pooler = startProgram(asPostgres([PROGRAM, settings]));
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect').finally(() => socket.destroy());
  });
  return { port, close: () => pooler.stop('SIGKILL') };
}

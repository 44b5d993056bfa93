// The proxies in front of the service, each with the file that operators copy.
// Only names, ports and certificates are replaced.

import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.js';
import { eventually } from './eventually.js';
import { startProgram } from './program.js';

const FILES = new URL('../../scripts/operations/', import.meta.url);

/** All requests of a test come from this machine, so the rule for it is replaced by one for an unused network. */
const NOBODY = '192.0.2.1';

interface Proxy {
  readonly name: string;
  /** True: the file limits the requests of an address. */
  readonly limitsRequests: boolean;
  /** Writes the configuration for these ports; resolves with the command. */
  command(folder: string, port: number, service: string, limit?: string): Promise<string[]>;
}

const fileNamed = (name: string) => readFile(new URL(name, FILES), 'utf8');

const NGINX: Proxy = {
  name: 'nginx',
  limitsRequests: true,
  async command(folder, port, service, limit = '10000r/s') {
    await mkdir(join(folder, 'conf.d'), { recursive: true });
    for (const name of ['proxy', 'headers']) {
      const copy = join(folder, `conf.d/service-management.${name}`);
      await writeFile(copy, await fileNamed(`nginx.${name}`));
    }
    const server = (await fileNamed('nginx.conf'))
      .replace(/server \{\s+listen 80;[^}]*\}/, '')
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
      .replaceAll(/^ *ssl_.*$/gm, '')
      .replace('/var/log/nginx/service-management.log', join(folder, 'access.log'))
      .replace('127.0.0.1:8080', service)
      .replace('allow 127.0.0.1;', `allow ${NOBODY};`)
      .replace('rate=20r/s', `rate=${limit}`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(folder, name)};`)
      .join('\n');
    const file = join(folder, 'nginx.conf');
    const own = `pid ${join(folder, 'nginx.pid')};\nerror_log stderr;\nevents {}\n`;
    await writeFile(file, `${own}http {\n${temporary}\n${server}}\n`);
    return ['nginx', '-c', file, '-p', folder, '-g', 'daemon off; master_process off;'];
  },
};

const CADDY: Proxy = {
  name: 'caddy',
  limitsRequests: false,
  async command(folder, port, service) {
    const text = (await fileNamed('Caddyfile'))
      .replace(/^\{\n/m, '{\n\tadmin off\n')
      .replace(/^api\.example\.com \{/m, `http://:${port} {\n\tbind 127.0.0.1`)
      .replace('127.0.0.1:8080', service)
      .replace('127.0.0.1/8', NOBODY);
    const file = join(folder, 'Caddyfile');
    await writeFile(file, text);
    return ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'];
  },
};

export const PROXIES: readonly Proxy[] = [NGINX, CADDY];

/** Whether this machine has the proxy. */
export function isInstalled({ name }: Proxy): boolean {
  return spawnSync(name, ['-v']).error === undefined;
}

export type RunningProxy = Awaited<ReturnType<typeof startProxy>>;

/** Starts a proxy in front of a running service. `limit`: the limit of an address's requests, in the proxy's own notation. */
export async function startProxy(proxy: Proxy, folder: string, service: string, limit?: string) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const command = await proxy.command(folder, port, new URL(service).host, limit);
  const { output, stop } = startProgram(command, {
    // Caddy keeps its state here.
    environment: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  await eventually(async () => {
    const { status } = await fetch(`${origin}/api/v1/health`);
    if (status !== 200) throw new Error(`${proxy.name}: ${output()}`);
  });
  return { origin, close: () => stop() };
}

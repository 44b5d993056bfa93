// The service behind nginx and HAProxy, with the configurations of the page
// "Security": rules on the administration API hold, and no request is smuggled
// past them. Runs where both programs are installed.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const KEY = 'operator'.padEnd(32, '-');
const ADMIN = `X-Service-Admin-Key: ${KEY}`;
const CONFIGURATIONS = new URL('../../src/node/proxies/', import.meta.url);

const POST = ['POST /api/v1/customers HTTP/1.1', 'Host: localhost', bearer('a')];

/** Shapes whose end two readers see in different places. What follows the body is a request to the administration. */
const SMUGGLING: readonly (readonly [name: string, head: readonly string[], body: string])[] = [
  [
    'a length beside chunks',
    [...POST, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
    '0\r\n\r\n',
  ],
  [
    'chunks beside a length',
    [...POST, 'Transfer-Encoding: chunked', 'Content-Length: 5'],
    '0\r\n\r\n',
  ],
  ['two lengths', [...POST, 'Content-Length: 0', 'Content-Length: 5'], ''],
  ['a list of lengths', [...POST, 'Content-Length: 0, 5'], ''],
  ['a length with a sign', [...POST, 'Content-Length: +0'], ''],
  ['a length in hexadecimal', [...POST, 'Content-Length: 0x0'], ''],
  ['an unknown coding', [...POST, 'Transfer-Encoding: xchunked', 'Content-Length: 0'], ''],
  ['two codings', [...POST, 'Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
  ['a coding in quotes', [...POST, 'Transfer-Encoding: "chunked"', 'Content-Length: 0'], ''],
  ['a space before the colon', [...POST, 'Transfer-Encoding : chunked', 'Content-Length: 0'], ''],
  [
    'a tab after the coding',
    [...POST, 'Transfer-Encoding: chunked\t', 'Content-Length: 0'],
    '0\r\n\r\n',
  ],
  [
    'a folded header',
    [...POST, 'Transfer-Encoding:', ' chunked', 'Content-Length: 0'],
    '0\r\n\r\n',
  ],
  [
    'a header after a bare line feed',
    [...POST, 'X: a\nTransfer-Encoding: chunked', 'Content-Length: 0'],
    '0\r\n\r\n',
  ],
  [
    'a chunk size with an extension and a line feed',
    [...POST, 'Transfer-Encoding: chunked'],
    '0;a\nb\r\n\r\n',
  ],
  ['a chunk size that overflows', [...POST, 'Transfer-Encoding: chunked'], 'ffffffffffffffff1\r\n'],
];

interface Proxy {
  readonly name: string;
  /** Writes the configuration for these ports; resolves with the command. */
  command(folder: string, port: number, service: string): Promise<string[]>;
}

async function configuration(name: string, port: number, service: string): Promise<string> {
  const text = await readFile(new URL(name, CONFIGURATIONS), 'utf8');
  return (
    text
      .replaceAll('127.0.0.1:8443', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:8080', service)
      // Everybody here is this machine: the rule is for a network that nobody is in.
      .replaceAll('127.0.0.0/8', '192.0.2.0/24')
  );
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    async command(folder, port, service) {
      const shared = join(folder, 'service-proxy.conf');
      await writeFile(shared, await configuration('nginx-service-proxy.conf', port, service));
      const text = await configuration('nginx.conf', port, service);
      const server = text.replaceAll('/etc/nginx/service-proxy.conf', shared);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${join(folder, name)};`)
        .join('\n');
      const file = join(folder, 'nginx.conf');
      await writeFile(
        file,
        `pid ${join(folder, 'nginx.pid')};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${server}}\n`,
      );
      return ['nginx', '-c', file, '-p', folder, '-g', 'daemon off; master_process off;'];
    },
  },
  {
    name: 'haproxy',
    async command(folder, port, service) {
      const file = join(folder, 'haproxy.cfg');
      await writeFile(file, await configuration('haproxy.cfg', port, service));
      return ['haproxy', '-db', '-f', file];
    },
  },
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const isInstalled = ({ name }: Proxy) => spawnSync(name, ['-v']).error === undefined;

describe.each(PROXIES.filter(isInstalled))('Behind $name', (proxy) => {
  let service: NodeService;
  let server: ServerProcess;
  let child: ChildProcess;
  let origin = '';

  beforeAll(async () => {
    service = await openNodeService();
    server = await service.start({ ADMIN_API_KEY: KEY });
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    const [command = '', ...args] = await proxy.command(
      service.folder,
      port,
      new URL(server.origin).host,
    );
    child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    for (;;) {
      const answered = await fetch(`${origin}/api/v1/health`).catch(() => undefined);
      if (answered?.status === 200) break;
      if (child.exitCode !== null) throw new Error(`${command} ended: ${output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  afterAll(async () => {
    child.kill('SIGTERM');
    await service.close();
  });

  const close = 'Connection: close';
  /** A proxy's own answers are no envelope: their status is all that counts. */
  const statusOf = async (target: string, ...more: string[]) => {
    const text = requestText('GET', target, [ADMIN, bearer('a'), close, ...more]);
    const connection = openRaw(origin, text);
    await connection.over;
    return Number(connection.received().split(' ')[1]);
  };

  it('an account is served', async () => {
    expect(await statusOf('/api/v1/customers?q=../x')).toBe(200);
    const body = '{"name":"a","phone":"1"}';
    const text = requestText('POST', '/api/v1/customers', [bearer('a'), close], body);
    expect((await rawExchange(origin, text))[0]?.status).toBe(201);
  });

  it.each([
    '/api/v1/admin/overview',
    '/api/v1/%61dmin/overview',
    '/%61pi/v1/%61%64min/overview',
    '/api/v1/./admin/overview',
    '/api/v1/customers/../admin/overview',
    '/api/v1/%2e/admin/overview',
    '/api/v1/customers/%2e%2e/admin/overview',
    '/api/v1/customers/..%2fadmin/overview',
    '/api/v1/x\\..\\admin/overview',
    '/api/v1\\admin/overview',
    '/api/v1//admin/overview',
    '//api/v1/admin/overview',
    '/api/v1/%2561dmin/overview',
    '/api/v1/ADMIN/overview',
    '/api/v1/admin',
    '/api/v1/admin;x/overview',
    '/api/v1/%5cadmin/overview',
  ])('the administration API is not reached as %s', async (target) => {
    expect([400, 403, 404]).toContain(await statusOf(target));
  });

  it.each(SMUGGLING)('no request is smuggled in %s', async (_, head, body) => {
    const inner = requestText('GET', '/api/v1/admin/overview', [ADMIN]);
    const connection = openRaw(origin, `${head.join('\r\n')}\r\n\r\n${body}${inner}`);
    connection.send(requestText('GET', '/api/v1/health', [close]));
    await connection.over;
    // The administration's view, however it may have come out.
    expect(connection.received()).not.toContain('tenant_count');
    expect((await fetch(`${origin}/api/v1/health`)).status).toBe(200);
  });
});

it('are configured as the page shows', async () => {
  const page = await readFile(new URL('../SECURITY.md', CONFIGURATIONS), 'utf8');
  for (const name of ['nginx.conf', 'nginx-service-proxy.conf', 'haproxy.cfg']) {
    expect(page).toContain(await readFile(new URL(name, CONFIGURATIONS), 'utf8'));
  }
});

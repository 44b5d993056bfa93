// The service behind nginx and Caddy, with the files that operators copy: the rule on the
// administration API holds, no request is smuggled past it, and what a proxy
// refuses itself looks like the service's own refusal.

import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../scripts/free-port.js';
import { bearer, nodeService } from '../support/node-service.js';
import { startProgram } from '../support/program.js';
import { openRaw, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const KEY = 'operator'.padEnd(32, '-');
const ADMIN = `X-Service-Admin-Key: ${KEY}`;
const CUSTOMERS = '/api/v1/customers';
const CLOSE = 'Connection: close';
const MINE = bearer('a');
const AUTHORIZATION = { Authorization: MINE.slice('Authorization: '.length) };

const HIDDEN = `
  /api/v1/admin/overview /api/v1/%61dmin/overview /%61pi/v1/%61%64min/overview /api/v1/./admin/overview
  /api/v1/customers/../admin/overview /api/v1/%2e/admin/overview
  /api/v1/customers/%2e%2e/admin/overview /api/v1/customers/..%2fadmin/overview
  /api/v1/x\\..\\admin/overview /api/v1\\admin/overview /api/v1//admin/overview
  //api/v1/admin/overview /api/v1/%2561dmin/overview /api/v1/ADMIN/overview /api/v1/admin
  /api/v1/admin;x/overview /api/v1/%5cadmin/overview
`
  .trim()
  .split(/\s+/);

/** Framings that two parsers may read differently. A request to the administration API follows. */
const SMUGGLING: readonly (readonly [framing: readonly string[], body: string])[] = [
  [['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
  [['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n'],
  [['Content-Length: 0', 'Content-Length: 5'], ''],
  [['Content-Length: 0, 5'], ''],
  [['Content-Length: +0'], ''],
  [['Content-Length: 0x0'], ''],
  [['Transfer-Encoding: xchunked', 'Content-Length: 0'], ''],
  [['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
  [['Transfer-Encoding: "chunked"', 'Content-Length: 0'], ''],
  [['Transfer-Encoding : chunked', 'Content-Length: 0'], ''],
  [['Transfer-Encoding: chunked\t', 'Content-Length: 0'], '0\r\n\r\n'],
  [['Transfer-Encoding:', ' chunked', 'Content-Length: 0'], '0\r\n\r\n'],
  [['X: a\nTransfer-Encoding: chunked', 'Content-Length: 0'], '0\r\n\r\n'],
  [['Transfer-Encoding: chunked'], '0;a\nb\r\n\r\n'],
  [['Transfer-Encoding: chunked'], 'ffffffffffffffff1\r\n'],
];

const FILES = new URL('../../scripts/operations/', import.meta.url);

/** All requests of a test come from this machine, so the rule for it is replaced by one for an unused network. */
const NOBODY = '192.0.2.1';

const fileNamed = (name: string) => readFile(new URL(name, FILES), 'utf8');

/** By proxy: writes its configuration for these ports, and resolves with its command. */
const COMMANDS = {
  async nginx(folder: string, port: number, service: string, limit = '10000r/s') {
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
  async caddy(folder: string, port: number, service: string) {
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

/** Starts a proxy in front of a running service. `limit`: nginx's request limit per address. */
async function startProxy(
  proxy: keyof typeof COMMANDS,
  folder: string,
  service: string,
  limit?: string,
) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const command = await COMMANDS[proxy](folder, port, new URL(service).host, limit);
  const { output, stop } = startProgram(command, {
    // Caddy keeps its state here.
    environment: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  onTestFinished(async () => void (await stop()));
  const status = () => fetch(`${origin}/api/v1/health`).then(({ status }) => status, output);
  await expect.poll(status).toBe(200);
  return origin;
}

const service = nodeService();
let server: ServerProcess;

beforeEach(async () => {
  server = await service.start({ ADMIN_API_KEY: KEY });
});

async function expectNoSmuggling(origin: string): Promise<void> {
  for (const [framing, body] of SMUGGLING) {
    const head = [`POST ${CUSTOMERS} HTTP/1.1`, 'Host: localhost', MINE, ...framing].join('\r\n');
    const inner = requestText('GET', '/api/v1/admin/overview', [ADMIN]);
    const connection = openRaw(origin, `${head}\r\n\r\n${body}${inner}`);
    connection.send(requestText('GET', '/api/v1/health', [CLOSE]));
    await connection.over;
    // The administration API's data, however it may have leaked.
    expect(connection.received(), head).not.toContain('tenant_count');
  }
  expect((await fetch(`${origin}/api/v1/health`)).status).toBe(200);
}

it('Without a proxy, no request is smuggled to the administration API', async () => {
  await expectNoSmuggling(server.origin);
});

for (const proxy of ['nginx', 'caddy'] as const) {
  // A machine without it says so.
  const isMissing = spawnSync(proxy, ['-v']).error !== undefined;
  describe.skipIf(isMissing)(`Behind ${proxy}`, () => behind(proxy));
}

function behind(proxy: keyof typeof COMMANDS): void {
  const start = (limit?: string) => startProxy(proxy, service.folder, server.origin, limit);

  it('the administration API is unreachable, however its path is written or a request is framed', async () => {
    const origin = await start();
    // A proxy's own responses have no envelope, so only their status counts.
    const statusOf = async (target: string) => {
      const connection = openRaw(origin, requestText('GET', target, [ADMIN, MINE, CLOSE]));
      await connection.over;
      return Number(connection.received().split(' ')[1]);
    };
    expect(await statusOf(`${CUSTOMERS}?q=../x`)).toBe(200);
    for (const target of HIDDEN) expect([400, 403, 404], target).toContain(await statusOf(target));
    await expectNoSmuggling(origin);
  });

  it('a closed administration API and a stopped service are refused in the envelope', async () => {
    const origin = await start();
    const headers = { 'X-Service-Admin-Key': KEY };
    const closed = await fetch(`${origin}/api/v1/admin/overview`, { headers });
    await expectEnvelope(closed, 404, 'NOT_FOUND');
    await server.stop('SIGKILL');
    const down = await fetch(`${origin}${CUSTOMERS}`, { headers: AUTHORIZATION });
    await expectEnvelope(down, 503, 'SERVICE_UNAVAILABLE');
    expect(down.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(down.headers.get('access-control-expose-headers')).toContain('Retry-After');
  });

  it.runIf(proxy === 'nginx')('too many requests are refused in the envelope', async () => {
    const origin = await start('1r/m');
    let answer = await fetch(`${origin}/api/v1/health`);
    for (let i = 0; i < 100 && answer.status !== 429; i++) {
      await answer.body?.cancel();
      answer = await fetch(`${origin}/api/v1/health`);
    }
    await expectEnvelope(answer, 429, 'RATE_LIMITED');
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  });
}

async function expectEnvelope(answer: Response, status: number, code: string): Promise<void> {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const { error, meta } = (await answer.json()) as {
    error: { code: string };
    meta: { request_id: string; timestamp: string };
  };
  expect(error.code).toBe(code);
  expect(meta.request_id).toBe(answer.headers.get('x-request-id'));
  expect(Number.isNaN(Date.parse(meta.timestamp))).toBe(false);
}

// `npm start` without npm: the built preview in a folder of its own.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Program } from '../support/program.js';
import { spawnPreview, startPreview } from '../support/server-process.js';
import { openFolder, type TestFolder, testFolder } from '../support/test-folder.js';

const MINE = { Authorization: 'Bearer local-doors' };

describe('A running preview', () => {
  let folder: TestFolder;
  let preview: Program;
  let api: string;
  let reference: string;
  let console_: string;

  beforeAll(async () => {
    folder = await openFolder();
    preview = await startPreview(folder.path, { CORS_ALLOWED_ORIGINS: '*' });
    const found = (pattern: RegExp) => pattern.exec(preview.output())?.[1] ?? '';
    api = found(/runs at (\S+)/);
    reference = found(/Reference {2}(\S+)/);
    console_ = found(/Console {4}(http:\S+)\/ is/);
  });
  afterAll(async () => {
    expect(await preview.stop('SIGINT')).toBe(0);
    await folder.remove();
  });

  it('prints three curl lines that work: the sample orders, a new customer, the overview', async () => {
    const lines = preview.output().split('\n');
    const pasted = lines.filter((line) => line.startsWith('curl ')).map(paste);
    const [orders, customer, overview] = await Promise.all(pasted);
    expect(orders.data.map(({ id }: { id: string }) => id)).toContain('ORD-0001');
    expect(customer.data.owner_sub).toBe('local-preview');
    expect(overview.data.tenant_count).toBe(1);
  });

  it('accepts local-NAME as the account local-NAME and refuses any other token', async () => {
    const as = (token: string) =>
      fetch(`${api}/customers`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await as('local-amina')).status).toBe(200);
    expect((await as('amina')).status).toBe(401);
  });

  it('serves the API reference on the provider’s port, not the API’s', async () => {
    const { origin } = new URL(api);
    const page = await fetch(reference);
    expect(page.headers.get('content-security-policy')).toContain(`connect-src 'self' ${origin};`);
    const files = [...(await page.text()).matchAll(/(?:src|href)="([^":]+)"/g)].map(([, to]) => to);
    expect(files).toHaveLength(3);
    for (const file of [...files, 'openapi.json']) {
      expect((await fetch(reference + file)).status, file).toBe(200);
      expect((await fetch(`${origin}/${file}`)).status, file).toBe(404);
    }
    const document = await (await fetch(`${reference}openapi.json`)).json();
    expect(document.servers).toEqual([{ url: api }]);
    for (const path of ['../preview.js', '..%2fpreview.js', 'preview.js', 'constructor', '//']) {
      expect((await fetch(reference + path)).status, path).toBe(404);
    }
  });

  it('serves the operator’s console, and prints a code for one sign-in and then the next', async () => {
    const code = /Its code for one sign-in: (\S+)/.exec(preview.output())?.[1] ?? '';
    const signedIn = await fetch(`${console_}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ secret: code }),
      headers: { Origin: console_, 'Sec-Fetch-Site': 'same-origin' },
    });
    const Cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(await (await fetch(console_, { headers: { Cookie } })).text()).toContain('Healthy');
    expect(preview.output()).toContain("The console's next code: ");
  });

  it.each([
    ...['https://evil.example', 'null', 'http://localhost.evil.example', 'file://', 'x'],
    // Pages that are under development.
    ...['http://localhost:5173', 'http://127.0.0.1:3000', 'http://[::1]:8', 'https://localhost'],
  ])('lets only pages of this machine read and change: %s', async (Origin) => {
    const isHere = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(Origin);
    for (const [method, wanted] of Object.entries({ GET: 200, OPTIONS: 204, POST: 201 })) {
      const { status, headers } = await ask(`${api}/customers`, method, { ...MINE, Origin });
      expect(headers['access-control-allow-origin']).toBe(isHere ? Origin : undefined);
      expect(status).toBe(method === 'POST' && !isHere ? 403 : wanted);
    }
  });

  it.each([
    ['evil.example', 403],
    ['evil.example:80', 403],
    ['localhost.evil.example', 403],
    ['192.168.0.7', 403],
    ['0.0.0.0', 403],
    ['localhost:1', 200],
    ['127.9.9.9:80', 200],
    ['[::1]', 200],
  ])('responds to the host %s with %i, on every port', async (Host, status) => {
    for (const url of [`${api}/customers`, `${api}/health`, reference]) {
      expect([url, (await ask(url, 'GET', { ...MINE, Host })).status]).toEqual([url, status]);
    }
  });
});

describe('The preview', () => {
  const folder = testFolder();
  let started: Program | undefined;
  afterEach(async () => expect((await started?.stop('SIGINT')) ?? 0).toBe(0));

  async function start(environment: Record<string, string>): Promise<Program> {
    started = await startPreview(folder.path, environment);
    return started;
  }

  it('uses its own file and provider and the given key, names the settings that it ignores, and exits when its terminal closes', async () => {
    const key = "a key of the operator's own choosing, with a quote";
    const { output, stop } = await start({
      ADMIN_API_KEY: key,
      DATABASE_URL: 'file:elsewhere.db',
      HOST: '0.0.0.0',
    });
    expect(existsSync(join(folder.path, 'data/preview.db'))).toBe(true);
    expect(existsSync(join(folder.path, 'elsewhere.db'))).toBe(false);
    expect(output()).toContain('The preview ignores DATABASE_URL, HOST:');
    expect(output()).toContain(`Admin key  ${key}`);
    expect(await stop('SIGHUP')).toBe(0);
  });

  it('takes the next free port when another program has 8080, 8081 or 8090', async () => {
    // If it fails, another program already has the port.
    const others = [8080, 8081, 8090].map((port) =>
      createServer()
        .on('error', () => {})
        .listen(port, '127.0.0.1'),
    );
    onTestFinished(() => others.forEach((other) => void other.close()));
    const { output } = await start({ PORT: '', CONSOLE_PORT: '', OPS_PORT: '' });
    const found = output().matchAll(/(?:runs at|Reference|Console) +http:\/\/127\.0\.0\.1:(\d+)/g);
    const ports = [...found].map(([, port]) => Number(port));
    expect(ports).toHaveLength(3);
    for (const port of ports) expect([8080, 8081, 8090]).not.toContain(port);
    expect(Math.max(...ports)).toBeLessThan(8191);
  });

  it('refuses to start with NODE_ENV=production', async () => {
    const { exited, output } = spawnPreview(folder.path, { NODE_ENV: 'production' });
    expect(await exited).toBe(1);
    expect(output()).toContain('NODE_ENV is "production"; it must be unset here');
    expect(output().trimEnd().split('\n')).toHaveLength(1);
  });
});

/** `fetch` can't send a custom `Host`. */
async function ask(url: string, method: string, headers: Record<string, string>) {
  const sent = request(url, { method, headers, agent: false });
  sent.end(method === 'POST' ? '{"name":"a","phone":"1"}' : undefined);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response?.resume();
  return { status: response?.statusCode, headers: response?.headers ?? {} };
}

/** Runs such a line without a shell and curl, which not every test machine has. */
async function paste(line: string) {
  const [url = ''] = /https?:\S+/.exec(line) ?? [];
  const [, name = '', value = ''] = /-H '([^:]+): ([^']+)'/.exec(line) ?? [];
  const [, body] = /-d '([^']+)'/.exec(line) ?? [];
  const init = { headers: { [name]: value }, ...(body && { method: 'POST', body }) };
  return (await fetch(url, init)).json();
}

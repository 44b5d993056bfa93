// `npm start` without npm: the built preview in a folder of its own.

import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { leaveNotice } from '../../src/preview/preview-notice.js';
import { eventually } from '../support/eventually.js';
import { interrupted, printed, spawnPreview } from '../support/preview-process.js';
import type { Program } from '../support/program.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

describe('A running preview', () => {
  let folder: TemporaryFolder;
  let preview: Program;

  beforeAll(async () => {
    folder = await openTemporaryFolder();
    preview = spawnPreview(folder.path);
    await printed(preview);
  });
  afterAll(async () => {
    expect(await interrupted(preview)).toBe(0);
    await folder.remove();
  });

  it('prints three curl lines that work: the sample orders, a new customer, the overview', async () => {
    const { output } = preview;
    const [orders, customer, overview] = await Promise.all(curlLines(output()).map(paste));
    expect(orders.data.map(({ id }: { id: string }) => id)).toContain('ORD-0001');
    expect(customer.data.owner_sub).toBe('local-preview');
    expect(overview.data.tenant_count).toBe(1);
  });

  it('takes local-NAME for the account local-NAME and refuses any other token', async () => {
    const { output } = preview;
    const api = /runs at (\S+)/.exec(output())?.[1];
    const as = (token: string) =>
      fetch(`${api}/customers`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await as('local-amina')).status).toBe(200);
    expect((await as('amina')).status).toBe(401);
  });

  it('serves the API reference beside the provider, not on the port of the API', async () => {
    const { output } = preview;
    const reference = /Reference {2}(\S+)/.exec(output())?.[1] ?? '';
    const api = new URL(/runs at (\S+)/.exec(output())?.[1] ?? '').origin;
    expect(new URL(reference).origin).not.toBe(api);
    const page = await fetch(reference);
    expect(page.headers.get('content-security-policy')).toContain(`connect-src 'self' ${api};`);
    const files = [...(await page.text()).matchAll(/(?:src|href)="([^":]+)"/g)].map(([, to]) => to);
    expect(files).toHaveLength(4);
    for (const file of [...files, 'openapi.json']) {
      expect((await fetch(reference + file)).status, file).toBe(200);
      expect((await fetch(`${api}/${file}`)).status, file).toBe(404);
    }
    const document = await (await fetch(`${reference}openapi.json`)).json();
    expect(document.servers).toEqual([{ url: `${api}/api/v1` }]);
    for (const path of ['../preview.js', '..%2fpreview.js', 'preview.js', 'constructor', '//']) {
      expect((await fetch(reference + path)).status, path).toBe(404);
    }
  });

  it('serves the operator’s console, and prints its address with a code for one sign-in', async () => {
    const { output } = preview;
    const origin = /Console {4}(http:\S+)\/ is/.exec(output())?.[1] ?? '';
    const code = /Its code for one sign-in: (\S+)/.exec(output())?.[1] ?? '';
    const signIn = (secret: string) =>
      fetch(`${origin}/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ secret }),
        headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
      });
    const signedIn = await signIn(code);
    expect(signedIn.status).toBe(303);
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const page = await (await fetch(origin, { headers: { Cookie: cookie } })).text();
    expect(page).toContain('Healthy');
    expect((await signIn(code)).status).toBe(401);
    expect(output()).toContain("The console's next code: ");
  });

  it('says at a second start where the first one runs, and does not touch its file', async () => {
    const { output } = preview;
    const api = /runs at (\S+)/.exec(output())?.[1] ?? '';
    const second = await ended(folder.path, {});
    expect(second.code).toBe(1);
    expect(second.text).toContain(`the preview runs already, at ${api} (process `);
    // A process that tries the file waits for its lock and says so.
    expect(second.text).not.toContain('another process holds it');
    expect(second.text.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('The preview', () => {
  let folder: TemporaryFolder;
  let stop: () => Promise<void> = async () => {};

  beforeEach(async () => {
    folder = await openTemporaryFolder();
  });
  afterEach(async () => {
    await stop();
    stop = async () => {};
    await folder.remove();
  });

  it('uses the admin key that is set', async () => {
    const key = "a key of the operator's own choosing, with a quote";
    const { output } = await start({ ADMIN_API_KEY: key });
    expect(output()).toContain(`Admin key  ${key}`);
  });

  it('takes a backup beside its own file when it is asked, wherever BACKUP_DIR points', async () => {
    const elsewhere = join(folder.path, 'elsewhere');
    await mkdir(elsewhere);
    const { child } = await start({ BACKUP_DIR: elsewhere });
    child.kill('SIGUSR2');
    const backups = join(folder.path, 'data/preview-backups');
    await eventually(async () => expect(await readdir(backups)).toHaveLength(1));
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('uses its own file and provider, and says which settings it ignores', async () => {
    const { output } = await start({
      DATABASE_URL: 'file:elsewhere.db',
      AUTH_USERINFO_URL: 'https://id.example.com/',
    });
    expect(existsSync(join(folder.path, 'data/preview.db'))).toBe(true);
    expect(existsSync(join(folder.path, 'elsewhere.db'))).toBe(false);
    expect(output()).toContain('The preview ignores AUTH_USERINFO_URL, DATABASE_URL:');
  });

  it('waits for a first preview that answers late', async () => {
    let asked = 0;
    const first = createHttpServer((_, response) => {
      asked++;
      if (asked > 1) response.end(JSON.stringify({ data: { service: 'a busy preview' } }));
    });
    await takes(first, 0);
    let second: Program | undefined;
    try {
      const origin = `http://127.0.0.1:${(first.address() as AddressInfo).port}`;
      await leaveNotice(join(folder.path, 'data/preview.running.json'), origin);
      second = spawnPreview(folder.path);
      expect(await second.exited).toBe(1);
      expect(second.output()).toContain(`the preview runs already, at ${origin}/api/v1 (process `);
      expect(asked).toBe(2);
    } finally {
      second?.child.kill('SIGKILL');
      first.closeAllConnections();
      first.close();
    }
  });

  it('starts after the first one was killed', async () => {
    await (await start({})).stop('SIGKILL');
    const { output } = await start({});
    expect(output()).toContain('runs at');
  });

  it('takes the next free port when another program has 8080, 8081 or 8090, and says so', async () => {
    const taken = [8080, 8081, 8090];
    const others = taken.map(() => createServer());
    await Promise.all(others.map((other, index) => takes(other, taken[index] ?? 0)));
    try {
      const { output } = await start({ PORT: '', CONSOLE_PORT: '', OPS_PORT: '' });
      const ports = [
        ...output().matchAll(/(?:runs at|Reference|Console) +http:\/\/127\.0\.0\.1:(\d+)/g),
      ];
      expect(ports).toHaveLength(3);
      expect(output()).toContain('Another program has port 8080; the API is at http');
      for (const [, port] of ports) {
        expect(taken).not.toContain(Number(port));
        expect(Number(port)).toBeLessThan(8191);
      }
    } finally {
      for (const other of others) other.close();
    }
  });

  it.each([
    [{ NODE_ENV: 'production' }, 'NODE_ENV is "production"; it must be unset here'],
    [{ HOST: '0.0.0.0' }, 'HOST is "0.0.0.0"; it must be an address of this machine alone'],
    [{ HOST: 'example.com' }, 'HOST is "example.com"; it must be an address of this machine alone'],
    [{ ADMIN_API_KEY: 'short' }, 'ADMIN_API_KEY is 5 characters long; it must be unset, or 32'],
  ])('refuses to start with %o', async (environment, sentence) => {
    const { code, text } = await ended(folder.path, environment);
    expect(code).toBe(1);
    expect(text).toContain(sentence);
    expect(text.trimEnd().split('\n')).toHaveLength(1);
  });

  /** Resolves when everything is printed. */
  async function start(environment: Record<string, string>) {
    const preview = spawnPreview(folder.path, environment);
    stop = async () => expect(await interrupted(preview)).toBe(0);
    await printed(preview);
    return preview;
  }
});

/** Resolves when the preview has ended by itself. */
async function ended(folder: string, environment: Record<string, string>) {
  const { exited, output } = spawnPreview(folder, environment);
  return { code: await exited, text: output() };
}

/** Has the port taken, by this server or by another that has it already. */
function takes(server: Server, port: number): Promise<void> {
  return new Promise((resolve) => {
    server.once('error', () => resolve());
    server.listen(port, '127.0.0.1', resolve);
  });
}

function curlLines(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('curl '));
}

/** Does the work of a shell and curl for such a line; not every machine that runs the tests has curl. */
async function paste(line: string) {
  const url = /https?:\S+/.exec(line)?.[0] ?? '';
  const header = /-H '([^:]+): ([^']+)'/.exec(line);
  const body = /-d '([^']+)'/.exec(line)?.[1];
  const response = await fetch(url, {
    headers: { [header?.[1] ?? '']: header?.[2] ?? '' },
    ...(body !== undefined && { method: 'POST', body }),
  });
  return response.json();
}

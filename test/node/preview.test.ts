// `npm start` without npm: the built preview in a folder of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const PREVIEW = fileURLToPath(new URL('../../dist/preview.js', import.meta.url));

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

  it('prints three curl lines that work: the sample orders, a new customer, the overview', async () => {
    const { text } = await start({});
    const [orders, customer, overview] = await Promise.all(curlLines(text()).map(paste));
    expect(orders.data.map(({ id }: { id: string }) => id)).toContain('ORD-0001');
    expect(customer.data.owner_sub).toBe('local-preview');
    expect(overview.data.tenant_count).toBe(1);
  });

  it('takes local-NAME for the account local-NAME and refuses any other token', async () => {
    const { text } = await start({});
    const api = /runs at (\S+)/.exec(text())?.[1];
    const as = (token: string) =>
      fetch(`${api}/customers`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await as('local-amina')).status).toBe(200);
    expect((await as('amina')).status).toBe(401);
  });

  it('uses the admin key that is set', async () => {
    const key = "a key of the operator's own choosing, with a quote";
    const { text } = await start({ ADMIN_API_KEY: key });
    expect(text()).toContain(`Admin key  ${key}`);
  });

  it('takes no backup on SIGUSR2, says so and goes on', async () => {
    const { text, child } = await start({ BACKUP_DIR: folder.path });
    child.kill('SIGUSR2');
    while (!text().includes('backup_not_configured')) await once(child.stderr, 'data');
    const [orders = ''] = curlLines(text());
    expect((await paste(orders)).data).not.toEqual([]);
  });

  it('keeps to its own file and provider whatever the environment says', async () => {
    await start({
      DATABASE_URL: 'file:elsewhere.db',
      AUTH_USERINFO_URL: 'https://id.example.com/',
    });
    expect(existsSync(join(folder.path, 'data/preview.db'))).toBe(true);
    expect(existsSync(join(folder.path, 'elsewhere.db'))).toBe(false);
  });

  it.each([
    [{ NODE_ENV: 'production' }, 'NODE_ENV is "production"; it must be unset here'],
    [{ HOST: '0.0.0.0' }, 'HOST is "0.0.0.0"; it must be an address of this machine alone'],
    [{ HOST: 'example.com' }, 'HOST is "example.com"; it must be an address of this machine alone'],
    [{ ADMIN_API_KEY: 'short' }, 'ADMIN_API_KEY is 5 characters long; it must be unset, or 32'],
  ])('refuses to start with %o', async (environment, sentence) => {
    const { code, text } = await ended(environment);
    expect(code).toBe(1);
    expect(text).toContain(sentence);
    expect(text.trimEnd().split('\n')).toHaveLength(1);
  });

  function run(environment: Record<string, string>) {
    const child = spawn(process.execPath, [PREVIEW], {
      cwd: folder.path,
      env: { PATH: process.env['PATH'] ?? '', PORT: '0', ...environment },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    }
    return { child, text: () => text };
  }

  /** Resolves when everything is printed. */
  async function start(environment: Record<string, string>) {
    const { child, text } = run(environment);
    stop = async () => {
      child.kill('SIGINT');
      if (child.exitCode === null) await once(child, 'close');
      expect(child.exitCode).toBe(0);
    };
    while (!text().includes('admin/overview')) await once(child.stdout, 'data');
    return { text, child };
  }

  async function ended(environment: Record<string, string>) {
    const { child, text } = run(environment);
    const [code] = await once(child, 'close');
    return { code, text: text() };
  }
});

function curlLines(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('curl '));
}

/** What a shell and curl make of such a line; not every machine that runs the tests has curl. */
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

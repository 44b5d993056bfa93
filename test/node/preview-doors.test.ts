// What web pages can make a browser do with a preview on the same machine:
// nothing, unless this machine serves them.

import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { interrupted, printed, spawnPreview } from '../support/preview-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

let folder: TemporaryFolder;
let preview: ReturnType<typeof spawnPreview>;
let api = '';
let reference = '';

beforeAll(async () => {
  folder = await openTemporaryFolder();
  preview = spawnPreview(folder.path, { CORS_ALLOWED_ORIGINS: '*' });
  const text = await printed(preview);
  api = /runs at (\S+)/.exec(text)?.[1] ?? '';
  reference = /Reference {2}(\S+)/.exec(text)?.[1] ?? '';
});
afterAll(async () => {
  await interrupted(preview);
  await folder.remove();
});

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** `fetch` would not send a `Host` of our own. */
function ask(url: string, method: string, headers: Record<string, string>): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers }));
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? '{"name":"a","phone":"1"}' : undefined);
  });
}

const MINE = { Authorization: 'Bearer local-doors' };
const FOREIGN = ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://', 'x'];
const OWN = [
  'http://localhost:5173',
  'http://127.0.0.1:3000',
  'http://[::1]:8',
  'https://localhost',
];

describe('The preview', () => {
  it.each(FOREIGN)('does not let a page of %s read or change anything', async (Origin) => {
    const read = await ask(`${api}/customers`, 'GET', { ...MINE, Origin });
    expect(read.headers['access-control-allow-origin']).toBeUndefined();
    const preflight = await ask(`${api}/customers`, 'OPTIONS', { Origin });
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
    const before = await (await fetch(`${api}/customers`, { headers: MINE })).json();
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      expect((await ask(`${api}/customers`, method, { ...MINE, Origin })).status).toBe(403);
    }
    const after = await (await fetch(`${api}/customers`, { headers: MINE })).json();
    expect(after.data).toEqual(before.data);
  });

  it.each(OWN)('lets a page of %s, under development, read and change', async (Origin) => {
    for (const [method, status] of [
      ['GET', 200],
      ['POST', 201],
      ['OPTIONS', 204],
    ] as const) {
      const { status: got, headers } = await ask(`${api}/customers`, method, { ...MINE, Origin });
      expect([got, headers['access-control-allow-origin']]).toEqual([status, Origin]);
    }
  });

  it.each(['evil.example', 'evil.example:80', 'localhost.evil.example', '192.168.0.7', '0.0.0.0'])(
    'is 403 under the name %s, on every port',
    async (Host) => {
      for (const url of [`${api}/customers`, `${api}/health`, reference, `${reference}userinfo`]) {
        expect([url, (await ask(url, 'GET', { ...MINE, Host })).status]).toEqual([url, 403]);
      }
    },
  );

  it.each(['localhost', 'localhost:1', '127.0.0.1', '127.9.9.9:80', '[::1]', '[::1]:80'])(
    'is served under the name %s',
    async (Host) => {
      expect((await ask(`${api}/customers`, 'GET', { ...MINE, Host })).status).toBe(200);
      expect((await ask(reference, 'GET', { Host })).status).toBe(200);
    },
  );
});

describe('The preview, when its terminal is closed,', () => {
  it('ends', async () => {
    const other = await openTemporaryFolder();
    const process = spawnPreview(other.path);
    await printed(process);
    const ended = new Promise((resolve) => process.child.once('close', resolve));
    process.child.kill('SIGHUP');
    expect(await ended).toBe(0);
    await other.remove();
  });
});

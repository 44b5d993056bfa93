// What the embedding page says of tests, run as it is written: the service in
// memory, and the checks of a storage of one's own.

import { execFile } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { promisify } from 'node:util';
import { createHandler, FailureError, openRecords } from 'service-management-api';
import { localIdentity, openMemoryStorage } from 'service-management-api/memory';
import { expect, it } from 'vitest';
import { pageCode } from '../support/pages.js';
import { openProject } from '../support/project.js';

const run = promisify(execFile);
const PAGE = 'src/embedding.md';
const ENGINE = pageCode(PAGE, '### An engine in about a hundred lines');

/** Storages over a Map, which forgets its rows when it is opened again. */
const FORGETFUL = `
import { openMemoryStorage } from 'service-management-api/memory';
export const makeHome = async () => ({
  open: async () => openMemoryStorage({ sampleRows: false }),
  async remove() {},
});
`;
const ON_DISK = `
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStorage } from './engine.js';
export async function makeHome() {
  const folder = await mkdtemp(join(tmpdir(), 'engine-'));
  return {
    open: async () => openSqliteStorage(join(folder, 'records.db')),
    remove: () => rm(folder, { recursive: true }),
  };
}
`;

/** What Node's program prints in a project of these files. */
async function printed(files: Record<string, string>, ...args: string[]): Promise<string> {
  const project = await openProject(files, ['libsql']);
  try {
    const ran = run(process.execPath, args, { cwd: project.path });
    return (await ran.catch((failed: { stdout: string }) => failed)).stdout;
  } finally {
    await project.remove();
  }
}

/** What the page's checks say of a storage. A Node without node:sqlite runs the engine on libsql, whose interface is the same where it uses it. */
function checked(ourStorage: string, engine = ENGINE): Promise<string> {
  const files = {
    'storage.test.js': pageCode(PAGE, '### The checks'),
    'our-storage.js': ourStorage,
    'engine.js': isBuiltin('node:sqlite')
      ? engine
      : engine.replace("{ DatabaseSync } from 'node:sqlite'", "DatabaseSync from 'libsql'"),
  };
  return printed(files, '--test', '--test-reporter=tap', 'storage.test.js');
}

it('The page’s test runs the service in memory, with the client on the handler', async () => {
  const stdout = await printed({ 'test.js': pageCode(PAGE, '## In tests') }, 'test.js');
  expect(stdout.trim()).toBe('CUS-0001 1');
});

it('The page’s checks name the fault of a storage', async () => {
  const stdout = await checked(FORGETFUL);
  expect(stdout).toMatch(/not ok \d+ - keeps puts, updates, removals and events of one commit/);
  expect(stdout).toMatch(/\n\s*ok \d+ - removes what is not there without complaint/);
  expect(stdout).toMatch(/found .*; it must be /);
});

it('The page’s engine keeps every promise, in about a hundred lines', async () => {
  expect(ENGINE.trim().split('\n').length).toBeLessThan(125);
  const stdout = await checked(ON_DISK);
  expect(stdout).toMatch(/^# fail 0$/m);
  expect(stdout).toMatch(/^# pass (1[89]|[2-9]\d)$/m);
});

it('The page’s engine without its fence fails the checks of a second opening, and no other', async () => {
  const fence = 'if (epochOf.get().epoch !== epoch)';
  expect(ENGINE).toContain(fence);
  const stdout = await checked(ON_DISK, ENGINE.replace(fence, 'if (false)'));
  expect(stdout).toMatch(/^# fail 2$/m);
  expect(stdout).toMatch(/not ok \d+ - refuses a second opening/);
});

it('A store of one’s own answers 503 with Retry-After by a FailureError', async () => {
  const records = await openRecords({ storage: openMemoryStorage() });
  const list = () => {
    throw new FailureError({ code: 'STORAGE_UNAVAILABLE', message: 'away', retryAfterSeconds: 7 });
  };
  const account = (owner: string) => ({ ...records.account(owner), list });
  const away = { operator: records.operator, account };
  const handle = createHandler({ records: away, identity: localIdentity() });
  const headers = { authorization: 'Bearer local-amina' };
  const response = await handle(new Request('http://localhost/api/v1/customers', { headers }));
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7']);
  expect(await response.json()).toMatchObject({ error: { code: 'STORAGE_UNAVAILABLE' } });
  await records.close();
});

it('A storage in memory has the sample rows unless an option leaves them out', async () => {
  const count = async (options: { sampleRows?: boolean }) => {
    let rows = 0;
    for await (const page of openMemoryStorage(options).load()) rows += page.length;
    return rows;
  };
  expect(await count({ sampleRows: false })).toBe(0);
  expect(await count({})).toBeGreaterThan(10);
});

it('The tests’ identity takes a token that begins with local- for a subject', async () => {
  const { identify } = localIdentity();
  const subject = 'local-amina';
  expect(await identify(subject)).toEqual({ status: 'identified', subject });
  for (const token of ['amina', 'local-', 'local-a b']) {
    expect(await identify(token), token).toEqual({ status: 'invalid' });
  }
});

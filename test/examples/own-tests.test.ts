// What the embedding page says of tests, run as it is written: the service in
// memory, and the checks of a storage of one's own.

import { execFile } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { promisify } from 'node:util';
import { createHandler, FailureError, openRecords } from 'service-management-api';
import { localIdentity, openMemoryStorage } from 'service-management-api/memory';
import { expect, it, onTestFinished } from 'vitest';
import { pageCode } from '../support/pages.js';
import { openProject } from '../support/project.js';

const run = promisify(execFile);
const PAGE = 'src/embedding.md';
const URL = 'http://localhost/api/v1/customers';
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
import { mkdtempSync } from 'node:fs';
import { openSqliteStorage } from './engine.js';
export async function makeHome() {
  const folder = mkdtempSync('engine-');
  return { open: async () => openSqliteStorage(folder + '/records.db'), async remove() {} };
}
`;

/** What Node's program prints in a project of these files. */
async function printed(files: Record<string, string>, ...args: string[]): Promise<string> {
  const project = await openProject(files, ['libsql']);
  onTestFinished(() => project.remove());
  const ran = run(process.execPath, args, { cwd: project.path });
  return (await ran.catch((failed: { stdout: string }) => failed)).stdout;
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

it('The page’s engine keeps every promise, in about a hundred lines; without its fence, all but that of a second opening', async () => {
  expect(ENGINE.trim().split('\n').length).toBeLessThan(125);
  expect(await checked(ON_DISK)).toMatch(/^# pass (1[89]|[2-9]\d)$[\s\S]*^# fail 0$/m);
  const fence = 'if (epochOf.get().epoch !== epoch)';
  expect(ENGINE).toContain(fence);
  const unfenced = await checked(ON_DISK, ENGINE.replace(fence, 'if (false)'));
  expect(unfenced).toMatch(/not ok \d+ - refuses a second opening[\s\S]*^# fail 2$/m);
});

it('A store of one’s own answers 503 with Retry-After by a FailureError', async () => {
  const records = await openRecords({ storage: openMemoryStorage({ sampleRows: false }) });
  expect(records.counts().services).toBe(0);
  const list = () => {
    throw new FailureError({ code: 'STORAGE_UNAVAILABLE', message: 'away', retryAfterSeconds: 7 });
  };
  const account = (owner: string) => ({ ...records.account(owner), list });
  const away = { operator: records.operator, account };
  const handle = createHandler({ records: away, identity: localIdentity() });
  const asked = (token: string) =>
    handle(new Request(URL, { headers: { authorization: `Bearer ${token}` } }));
  expect((await asked('amina')).status).toBe(401);
  const response = await asked('local-amina');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7']);
  expect(await response.json()).toMatchObject({ error: { code: 'STORAGE_UNAVAILABLE' } });
  await records.close();
});

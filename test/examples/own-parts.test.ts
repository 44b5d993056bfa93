// What the embedding page says about a program's own tests, storage and sign-in, run as written.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createHandler, FailureError, openRecords } from 'service-management-api';
import { localIdentity, openMemoryStorage } from 'service-management-api/memory';
import { expect, it, onTestFinished } from 'vitest';
import { pageCode } from '../support/pages.js';
import { openProject } from '../support/project.js';

const run = promisify(execFile);
const PAGE = 'src/embedding.md';
const URL = 'http://localhost/api/v1/customers';

/** A storage in memory that can be opened again. */
const IN_MEMORY = `
import { openMemoryStorage } from 'service-management-api/memory';
export async function makeHome() {
  const storage = openMemoryStorage({ sampleRows: false });
  async function open() {
    let isOpen = true;
    const expectOpen = () => {
      if (!isOpen) throw new Error('closed');
    };
    return {
      ...storage,
      commit: async (changes) =>
        isOpen ? storage.commit(changes) : { status: 'unknown', error: new Error('closed') },
      ping: async () => expectOpen(),
      close: async () => void (isOpen = false),
    };
  }
  return { open, remove: async () => {} };
}
`;

/** What a Node program prints in a project with these files. */
async function printed(files: Record<string, string>, ...args: string[]): Promise<string> {
  const project = await openProject(files, ['libsql']);
  onTestFinished(() => project.remove());
  const ran = run(process.execPath, args, { cwd: project.path });
  return (await ran.catch((failed: { stdout: string }) => failed)).stdout;
}

/** What the page's checks print about a storage. */
function checked(ourStorage: string): Promise<string> {
  const checks = pageCode(PAGE, '### The checks').replace(
    '(makeHome)',
    '(makeHome, { opensTwice: false })',
  );
  const files = { 'storage.test.js': checks, 'our-storage.js': ourStorage };
  return printed(files, '--test', '--test-reporter=tap', 'storage.test.js');
}

it('The page’s test runs the service in memory, with the client on the handler', async () => {
  const stdout = await printed({ 'test.js': pageCode(PAGE, '## In tests') }, 'test.js');
  expect(stdout.trim()).toBe('CUS-0001 1');
});

it('The page’s checks pass for a storage that keeps every promise, and fail for one that forgets its sequences', async () => {
  expect(await checked(IN_MEMORY)).toMatch(/^# pass [1-9]$[\s\S]*^# fail 0$/m);
  const forgetful = IN_MEMORY.replace('ping:', 'sequences: async () => ({}), ping:');
  expect(await checked(forgetful)).toMatch(/^not ok [\s\S]*^# fail [1-9]/m);
});

it('A custom store returns 503 with Retry-After by throwing a FailureError', async () => {
  const records = await openRecords({ storage: openMemoryStorage({ sampleRows: false }) });
  const list = () => {
    throw new FailureError({ code: 'STORAGE_UNAVAILABLE', message: 'away', retryAfterSeconds: 7 });
  };
  const account = (owner: string) => ({ ...records.account(owner), list });
  const handle = createHandler({ records: { ...records, account }, identity: localIdentity() });
  const headers = { authorization: 'Bearer local-amina' };
  const response = await handle(new Request(URL, { headers }));
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7']);
  expect(await response.json()).toMatchObject({ error: { code: 'STORAGE_UNAVAILABLE' } });
  await records.close();
});

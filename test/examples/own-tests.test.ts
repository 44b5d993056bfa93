// What the embedding page says of tests, run as it is written: the service in
// memory, and the checks of a storage of one's own.

import { execFile } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { promisify } from 'node:util';
import {
  createHandler,
  FailureError,
  openRecords,
  type RecordService,
} from 'service-management-api';
import { localIdentity, openMemoryStorage } from 'service-management-api/memory';
import { describe, expect, it } from 'vitest';
import { pageCode } from '../support/pages.js';
import { openProject } from '../support/project.js';

const run = promisify(execFile);
const PAGE = 'src/embedding.md';

/** Storages over a Map, the second of which forgets its rows when it is opened again. */
const OUR_STORAGE = (keeps: boolean) => `
import { openMemoryStorage } from 'service-management-api/memory';
export async function makeHome() {
  const make = () => openMemoryStorage({ sampleRows: false });
  let storage = make();
  return {
    async open() {
      ${keeps ? 'return { ...methodsOf(storage), close: async () => {} };' : 'storage = make(); return storage;'}
    },
    async remove() {},
  };
}
const methodsOf = (storage) => Object.fromEntries(
  ['load', 'sequences', 'commit', 'usage', 'auditEvents', 'ping'].map((name) => [name, (...args) => storage[name](...args)]),
);
`;

describe('The embedding page’s tests', () => {
  it('run the service in memory, with the client on the handler', async () => {
    const project = await openProject({ 'test.js': pageCode(PAGE, '## In tests') });
    try {
      const { stdout } = await run(process.execPath, ['test.js'], { cwd: project.path });
      expect(stdout.trim()).toBe('CUS-0001 1');
    } finally {
      await project.remove();
    }
  });

  it.each([
    [
      true,
      [
        'takes no commit once closed',
        'answers a ping while open, and refuses it once closed',
        'refuses a second opening, or fences the first one with it',
        'keeps what a second opening committed, also from the first one once the second is closed',
      ],
    ],
    [false, ['keeps puts, updates, removals and events of one commit together']],
  ])('name the fault of a storage (keeps its rows: %s)', async (keeps, failing) => {
    const project = await openProject(storageFiles(OUR_STORAGE(keeps)));
    try {
      const stdout = await checked(project.path);
      for (const name of failing) expect(stdout).toMatch(new RegExp(`not ok \\d+ - ${name}`));
      expect(stdout).toMatch(/\n\s*ok \d+ - removes what is not there without complaint/);
      expect(stdout).toMatch(/found .*; it must be /);
    } finally {
      await project.remove();
    }
  });
});

function storageFiles(ourStorage: string) {
  return {
    'storage.test.js': pageCode(PAGE, '### The checks'),
    'our-storage.js': ourStorage,
  };
}

/** What Node's test runner prints of the checks in that folder. */
async function checked(folder: string): Promise<string> {
  const given = ['--test', '--test-reporter=tap', 'storage.test.js'];
  const { stdout } = await run(process.execPath, given, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

describe('The page’s engine', () => {
  const ENGINE = pageCode(PAGE, '### An engine in about a hundred lines');
  const HOME = `
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

  // A Node without node:sqlite runs it on libsql, whose interface is the same where it uses it.
  const usable = (engine: string) =>
    isBuiltin('node:sqlite')
      ? engine
      : engine.replace("{ DatabaseSync } from 'node:sqlite'", "DatabaseSync from 'libsql'");

  async function checkedEngine(engine: string): Promise<string> {
    const files = { ...storageFiles(HOME), 'engine.js': usable(engine) };
    const project = await openProject(files, ['libsql']);
    try {
      return await checked(project.path);
    } finally {
      await project.remove();
    }
  }

  it('keeps every promise, in about a hundred lines', async () => {
    expect(ENGINE.trim().split('\n').length).toBeLessThan(125);
    const stdout = await checkedEngine(ENGINE);
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(stdout).toMatch(/^# pass (1[89]|[2-9]\d)$/m);
  });

  it('without its fence fails the checks of a second opening, and no other', async () => {
    const fence = 'if (epochOf.get().epoch !== epoch)';
    expect(ENGINE).toContain(fence);
    const stdout = await checkedEngine(ENGINE.replace(fence, 'if (false)'));
    expect(stdout).toMatch(/^# fail 2$/m);
    expect(stdout).toMatch(/not ok \d+ - refuses a second opening/);
  });
});

it('A store of one’s own answers 503 with Retry-After by a FailureError', async () => {
  const records = await openRecords({ storage: openMemoryStorage() });
  const failure = { code: 'STORAGE_UNAVAILABLE', message: 'away', retryAfterSeconds: 7 } as const;
  const away: RecordService = {
    operator: records.operator,
    account: (owner) => ({
      ...records.account(owner),
      list() {
        throw new FailureError(failure);
      },
    }),
  };
  const handle = createHandler({ records: away, identity: localIdentity() });
  const response = await handle(
    new Request('http://localhost/api/v1/customers', {
      headers: { authorization: 'Bearer local-amina' },
    }),
  );
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

it.each([
  ['local-amina', { status: 'identified', subject: 'local-amina' }],
  ['amina', { status: 'invalid' }],
  ['local-', { status: 'invalid' }],
  ['local-a b', { status: 'invalid' }],
])('The token %j is %j to the tests’ identity', async (token, identity) => {
  expect(await localIdentity().identify(token)).toEqual(identity);
});

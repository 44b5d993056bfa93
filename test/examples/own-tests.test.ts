// What the embedding page says of tests, run as it is written: the service in
// memory, and the checks of a journal of one's own.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { localIdentity, openMemoryJournal } from 'service-management-api/memory';
import { describe, expect, it } from 'vitest';
import { pageCode } from '../support/pages.js';
import { openProject } from '../support/project.js';

const run = promisify(execFile);
const PAGE = 'src/embedding.md';

/** Journals over a Map, the second of which forgets its rows when it is opened again. */
const OUR_JOURNAL = (keeps: boolean) => `
import { openMemoryJournal } from 'service-management-api/memory';
export async function makeHome() {
  const make = () => openMemoryJournal({ sampleRows: false });
  let journal = make();
  return {
    async open() {
      ${keeps ? 'return { ...methodsOf(journal), close: async () => {} };' : 'journal = make(); return journal;'}
    },
    async remove() {},
  };
}
const methodsOf = (journal) => Object.fromEntries(
  ['load', 'sequences', 'commit', 'usage', 'auditEvents', 'ping'].map((name) => [name, (...args) => journal[name](...args)]),
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
      ['takes no commit once closed', 'answers a ping while open, and refuses it once closed'],
    ],
    [false, ['keeps puts, updates, removals and events of one commit together']],
  ])('name the fault of a journal (keeps its rows: %s)', async (keeps, failing) => {
    const files = {
      'journal.test.js': pageCode(PAGE, '## A journal of your own'),
      'our-journal.js': OUR_JOURNAL(keeps),
    };
    const project = await openProject(files);
    try {
      const arguments_ = ['--test', '--test-reporter=tap', 'journal.test.js'];
      const { stdout } = await run(process.execPath, arguments_, { cwd: project.path }).then(
        () => ({ stdout: '' }),
        (error: { stdout: string }) => error,
      );
      for (const name of failing) expect(stdout).toMatch(new RegExp(`not ok \\d+ - ${name}`));
      expect(stdout).toMatch(/\n\s*ok \d+ - removes what is not there without complaint/);
      expect(stdout).toMatch(/found .*; it must be /);
    } finally {
      await project.remove();
    }
  });
});

it('A journal in memory has the sample rows unless an option leaves them out', async () => {
  const count = async (options: { sampleRows?: boolean }) => {
    let rows = 0;
    for await (const page of openMemoryJournal(options).load()) rows += page.length;
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

// What the controls of `power` don't show: that its comparison finds each kind of damage, and that
// its disk may permanently lose what a failed sync was to keep. The page has every trial.

import { expect, it } from 'vitest';
import { handlerHost } from '../support/file-hosts.js';
import { sectionOf, tableRows } from '../support/pages.js';
import { testFolder } from '../support/test-folder.js';
import { Disk } from './disk/disk.js';
import type { Step } from './disk/trace.js';
import { TRIALS } from './list.js';
import { compare, counted } from './load/compare.js';
import { randomFrom } from './load/random.js';
import type { Operation } from './load/recorder.js';
import { runsOf } from './model/run.js';

const folder = testFolder();
const target = { who: 'amina', operator: false, coll: 'customers', id: 'CUS-0001', client: 0 };

function change(number: number, kind: Operation['kind'], more = {}): Operation {
  const body = kind === 'create' ? { mark: 1, version: number } : { version: number };
  const asked = { number, kind, ...target, call: number, return: number, code: 200 };
  return { ...asked, ...(kind !== 'delete' && { body }), ...more };
}

function stored(version: number, id = target.id) {
  return { collection: 'customers', body: { id, owner_sub: 'amina', mark: 1, version } };
}

const CREATED = change(1, 'create');
const UNCLEAR = change(2, 'patch', { code: 0 });
const BY_OPERATOR = change(2, 'patch', { operator: true });

it.each([
  [counted([]), [CREATED, UNCLEAR], [stored(2)]],
  ['1 acknowledged lost', [CREATED], []],
  ['1 acknowledged lost', [CREATED, change(2, 'patch')], [stored(1)]],
  ['1 deleted back', [CREATED, change(2, 'delete')], [stored(1)]],
  ['1 torn', [CREATED], [stored(9)]],
  ['1 duplicates', [CREATED], [stored(1), stored(1, 'CUS-0002')]],
  ['1 audit events', [CREATED, BY_OPERATOR], [stored(2)]],
])('The comparison reports %s', (wanted, operations, rows) => {
  expect(counted(compare(operations, rows, []))).toContain(wanted);
});

it('The disk may permanently lose the writes of a failed sync, even if a later sync succeeds', () => {
  const path = '/disk/file';
  const write = (text: string, offset: number): Step => {
    return { kind: 'write', path, offset, data: Buffer.from(text) };
  };
  const sync = (failed: boolean, of = path): Step => ({ kind: 'sync', path: of, failed });
  const disk = new Disk('/disk');
  const made: Step[] = [{ kind: 'create', path }, sync(false, '/disk')];
  const steps = [...made, write('a', 0), sync(true), write('b', 1), sync(false)];
  for (const step of steps) disk.take(step);
  const random = randomFrom(1);
  const texts = Array.from({ length: 100 }, () => String(disk.afterPowerLoss(random).get(path)));
  expect([...new Set(texts)].sort()).toEqual(['\0b', 'ab']);
});

it('Every response, view and record of the handler matches the model', async () => {
  const run = { host: handlerHost, folder: folder.path, commands: 400 };
  expect(await runsOf(run)).toMatchObject({ holds: true });
});

it('test/README.md has a row for each trial, in the order of the list', () => {
  const rows = tableRows(sectionOf('test/README.md', '## Trials')).map((row) => row['Trial']);
  expect(rows).toEqual(Object.keys(TRIALS).map((name) => `\`${name}\``));
});

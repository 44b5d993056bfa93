// What the controls of `power` don't show: that its ledger sees each kind of damage, and that its
// disk may lose for good what a failed sync was asked to keep. The page has every trial.

import { expect, it } from 'vitest';
import { handlerHost } from '../support/file-hosts.js';
import { sectionOf, tableRows } from '../support/pages.js';
import { testFolder } from '../support/test-folder.js';
import { Disk } from './disk/disk.js';
import type { Step } from './disk/trace.js';
import { TRIALS } from './list.js';
import { Ledger, type LedgerChange } from './load/ledger.js';
import { randomFrom } from './load/random.js';
import { runsOf } from './model/run.js';

const folder = testFolder();
const STATE = { owner_sub: 'amina', mark: 'mark-1' };

function stored(version: number, id = 'CUS-0001') {
  return { collection: 'customers', body: { id, ...STATE, version } };
}

it.each([
  ['an acknowledged record that is missing', 'create', [], '1 acknowledged lost'],
  ['an acknowledged update that is missing', 'update', [stored(1)], '1 acknowledged lost'],
  ['a deleted record that is back', 'delete', [stored(1)], '1 deleted back'],
  ['a version that was never written', 'create', [stored(9)], '1 torn'],
  ['a record that exists twice', 'create', [stored(1), stored(1, 'CUS-0002')], '1 duplicates'],
  ["an operator's change without its event", 'update', [stored(2)], '1 audit events wrong'],
] as const)('The ledger reports %s', (_, last, rows, wanted) => {
  const ledger = new Ledger();
  const entry = ledger.newEntry(0, 'amina', 'customers');
  const change = (action: LedgerChange['action'], version: number) => {
    const after = action === 'delete' ? undefined : { ...STATE, version };
    const byOperator = action === 'update';
    const begun = ledger.begin({ entry, action, byOperator, changed: ['version'], after });
    ledger.acknowledge(begun, 'CUS-0001');
  };
  change('create', 1);
  if (last !== 'create') change(last, 2);
  expect(String(ledger.compare(rows, []))).toContain(wanted);
});

it('The disk may lose the writes of a failed sync for good, also when a later sync succeeds', () => {
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

it('Every answer, view and record of the handler is as the model says', async () => {
  const run = { host: handlerHost, folder: folder.path, commands: 400 };
  expect(await runsOf(run)).toMatchObject({ holds: true });
});

it('test/README.md has a row for each trial, in the order of the list', () => {
  const rows = tableRows(sectionOf('test/README.md', '## Trials')).map((row) => row['Trial']);
  expect(rows).toEqual(Object.keys(TRIALS).map((name) => `\`${name}\``));
});

// The ledger of the trials: outcomes of changes, and every kind of difference between the
// ledger and the stored records.

import { beforeEach, describe, expect, it } from 'vitest';
import { type Entry, Ledger, type LedgerChange } from './load/ledger.js';

type Row = Parameters<Ledger['compare']>[0][number];

let ledger: Ledger;
let entry: Entry;
let created: LedgerChange;

beforeEach(() => {
  ledger = new Ledger();
  entry = ledger.newEntry(0, 'amina', 'customers');
  created = begin('create', 1);
  ledger.acknowledge(created, 'CUS-0001');
});

function state(version: number) {
  return { owner_sub: 'amina', mark: entry.mark, version };
}

function begin(action: LedgerChange['action'], version?: number, byOperator = false) {
  const after = version === undefined ? undefined : state(version);
  return ledger.begin({ entry, action, byOperator, changed: ['version'], after });
}

function row(version: number, id = 'CUS-0001', collection = 'customers'): Row {
  return { collection, body: { id, ...state(version) } };
}

function difference(...rows: Row[]): string {
  return String(ledger.compare(rows, []));
}

const NONE =
  '0 acknowledged lost, 0 deleted back, 0 torn, 0 duplicates, 0 audit events wrong' as const;

describe('A ledger', () => {
  it('accepts the acknowledged state', () => {
    expect(difference(row(1))).toBe(NONE);
    ledger.acknowledge(begin('update', 2), 'CUS-0001');
    expect(difference(row(2))).toBe(NONE);
    ledger.acknowledge(begin('delete'), 'CUS-0001');
    expect(difference()).toBe(NONE);
  });

  const stranger = (): Row => ({ collection: 'customers', body: { id: 'CUS-0002', mark: '' } });
  it.each<[string, string, () => Row[], LedgerChange['action']?]>([
    ['an acknowledged record that is missing', '1 acknowledged lost', () => []],
    ['an acknowledged update that is missing', '1 acknowledged lost', () => [row(1)], 'update'],
    ['a deleted record that is back', '1 deleted back', () => [row(1)], 'delete'],
    ['a version that was never written', '1 torn', () => [row(9)]],
    ['another id than the acknowledged one', '1 torn', () => [row(1, 'CUS-0002')]],
    ['another collection', '1 torn', () => [row(1, 'CUS-0001', 'team')]],
    ['a record that was never created', '1 torn', () => [row(1), stranger()]],
    ['a record that exists twice', '1 duplicates', () => [row(1), row(1, 'CUS-0002')]],
  ])('reports %s as %s', (_, wanted, rows, action) => {
    const version = action === 'update' ? 2 : undefined;
    if (action !== undefined) ledger.acknowledge(begin(action, version), 'CUS-0001');
    expect(difference(...rows())).toContain(wanted);
  });

  it('accepts an unknown change as stored or not stored, but not in part', () => {
    begin('update', 2);
    for (const version of [1, 2]) expect(difference(row(version))).toBe(NONE);
    expect(difference()).toContain('1 acknowledged lost');
  });

  it('treats a refused change as one that was never sent', () => {
    ledger.refuse(begin('update', 2));
    expect(difference(row(1))).toBe(NONE);
    expect(difference(row(2))).toContain('1 torn');
  });

  it("expects one event for each of the operator's changes, and for no other change", () => {
    ledger.acknowledge(begin('update', 2, true), 'CUS-0001');
    const about = { action: 'update', resource: 'customers', record_id: 'CUS-0001' };
    const event = { ...about, owner_sub: 'amina', changed: ['version'] };
    const mismatches = (...events: (typeof event)[]) => ledger.compare([row(2)], events).audit;
    expect(mismatches(event)).toBe(0);
    expect(mismatches()).toBe(1);
    expect(mismatches(event, event)).toBe(1);
    expect(mismatches({ ...event, changed: ['other'] })).toBe(2);
  });

  it('can judge an earlier moment, when a change was not yet acknowledged', () => {
    ledger.acknowledge(begin('update', 2), 'CUS-0001');
    const then = (...rows: Row[]) =>
      String(ledger.compare(rows, [], (change) => change === created));
    for (const version of [1, 2]) expect(then(row(version))).toBe(NONE);
    expect(then()).toContain('1 acknowledged lost');
  });

  it('expects a record whose answer was sent and never arrived, under the id of that answer', () => {
    entry = ledger.newEntry(0, 'amina', 'customers');
    const sent = begin('create', 1);
    const then = (...rows: Row[]) =>
      String(ledger.compare(rows, [], (change) => change === created || change === sent));
    const other = { collection: 'customers', body: { id: 'CUS-0001', ...created.after } } as Row;
    expect(then(other, row(1, 'CUS-0002'))).toBe(NONE);
    expect(then(other)).toContain('1 acknowledged lost');
  });
});

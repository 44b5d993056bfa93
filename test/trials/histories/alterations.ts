// Altered histories that no correct service can produce, so the checker must reject every one.

import type { Operation } from '../load/recorder.js';
import type { Model } from './checker.js';

export interface Alteration {
  readonly model: Model;
  readonly name: string;
  /** Changes the history in place; false if it has nothing to change. */
  readonly alter: (operations: Operation[]) => boolean;
}

/** False if nothing was found. */
function change<T>(found: T | undefined, act: (found: T) => unknown): boolean {
  if (found !== undefined) act(found);
  return found !== undefined;
}

const isOfSame = (one: Operation) => (other: Operation) =>
  other.id === one.id && other.who === one.who && other.coll === one.coll;

/** A read after two changes of a record, one after the other, shows the first one. */
function staleRead(operations: Operation[]): boolean {
  const changes = operations.filter(({ kind, code }) => kind === 'patch' && code === 200);
  for (const first of changes) {
    const own = isOfSame(first);
    const second = changes.find((other) => own(other) && other.call > first.return);
    const read = operations.findLast(
      (other) => other.kind === 'read' && other.code === 200 && own(other),
    );
    if (second === undefined || read === undefined || read.call < second.return) continue;
    if (first.record !== undefined) read.record = first.record;
    return true;
  }
  return false;
}

/** A record is read after its delete was acknowledged. */
function resurrected(operations: Operation[]): boolean {
  const gone = operations.findLast(({ kind, code }) => kind === 'read' && code === 404);
  const was = operations.findLast(
    ({ record, id, who }) => record !== undefined && id === gone?.id && who === gone.who,
  );
  if (gone === undefined || was?.record === undefined) return false;
  Object.assign(gone, { code: 200, record: was.record });
  return true;
}

/** Two creates of one collection, one after the other. */
function createsInOrder(operations: readonly Operation[]) {
  const creates = operations.filter(({ kind, code }) => kind === 'create' && code === 201);
  for (const first of creates) {
    const second = creates.find(
      ({ coll, who, call }) => coll === first.coll && who === first.who && call > first.return,
    );
    if (second !== undefined) return { first, second };
  }
  return undefined;
}

/**
 * Swaps two neighbours of a list, one of which was created before the other was requested. Records
 * that were created concurrently may be in any order.
 */
function swapOfOrderedRows(operations: Operation[]): boolean {
  const createOf = (row: Operation['record']) =>
    operations.find(({ kind, record }) => kind === 'create' && record?.['id'] === row?.['id']);
  for (const { kind, rows = [] } of operations.toReversed()) {
    if (kind !== 'list') continue;
    for (const [at, newer] of rows.entries()) {
      const older = rows[at + 1];
      const [later, earlier] = [createOf(newer), createOf(older)];
      if (older === undefined || later === undefined || earlier === undefined) continue;
      if (earlier.return >= later.call) continue;
      [rows[at], rows[at + 1]] = [older, newer];
      return true;
    }
  }
  return false;
}

/** The last fitting operation is altered, because at the end no client changes anything. */
export const ALTERATIONS: readonly Alteration[] = [
  { model: 'record', name: 'a read is older than two answered changes', alter: staleRead },
  { model: 'record', name: 'a deleted record is read', alter: resurrected },
  {
    model: 'record',
    name: 'an audit event is missing',
    alter: (all) =>
      change(all.findLast(({ whole = false }) => whole)?.events, (events) =>
        events.splice(events.length >> 1, 1),
      ),
  },
  {
    model: 'account',
    name: 'a list lacks a record',
    alter: (all) =>
      change(
        all.findLast(({ kind, rows = [] }) => kind === 'list' && rows.length > 1),
        (list) => Object.assign(list, { total: (list.total ?? 0) - 1, rows: list.rows?.slice(1) }),
      ),
  },
  { model: 'account', name: 'two records of a list are swapped', alter: swapOfOrderedRows },
  {
    model: 'account',
    name: 'a search shows what does not match',
    alter: (all) =>
      change(
        all.findLast(({ q = '', rows = [] }) => q !== '' && rows.length > 0),
        (list) => Object.assign(list, { q: 'cherimoya' }),
      ),
  },
  {
    model: 'account',
    name: 'a payment is of another sum',
    alter: (all) =>
      change(all.findLast(({ payments = [] }) => payments.length > 0)?.payments?.[0], (payment) =>
        Object.assign(payment, { due: payment.due + 1 }),
      ),
  },
  {
    model: 'ids',
    name: 'an identifier is given twice',
    alter: (all) =>
      change(createsInOrder(all), ({ first, second }) => Object.assign(second, { id: first.id })),
  },
  {
    model: 'ids',
    name: 'a later identifier is lower',
    alter: (all) =>
      change(createsInOrder(all), ({ first, second }) => {
        [first.id, second.id] = [second.id, first.id];
      }),
  },
];

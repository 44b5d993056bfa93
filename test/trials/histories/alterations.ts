// Altered histories: each is one that no right service can make, so the checker
// must say so of every one of them.

import type { Model } from './checker.js';
import {
  last,
  resurrected,
  staleRead,
  swapOfOrderedRows,
  twoCreates,
} from './chosen-operations.js';
import type { Operation, RecordedEvent } from './recorder.js';

/** Changes the history in place; false if it has nothing to change. */
type Alter = (operations: Operation[]) => boolean;

export interface Alteration {
  readonly model: Model;
  readonly name: string;
  readonly alter: Alter;
}

const found = ({ code }: Operation) => code === 200;
const isMany = ({ rows = [] }: Operation) => rows.length > 1;
const isPaid = ({ payments = [] }: Operation) => payments.length > 0;

/** Changes the last operation of a kind. */
function changing(
  kind: Operation['kind'],
  fits: (operation: Operation) => boolean,
  change: (operation: Operation) => unknown,
): Alter {
  return (operations) => {
    const operation = last(operations, kind, fits);
    if (operation === undefined) return false;
    change(operation);
    return true;
  };
}

const changingEvents = (change: (events: RecordedEvent[]) => unknown) =>
  changing(
    'audit',
    ({ whole = false }) => whole,
    ({ events }) => events && change(events),
  );
const changingCreates =
  (change: (first: Operation, second: Operation) => void): Alter =>
  (operations) => {
    const creates = twoCreates(operations);
    if (creates !== undefined) change(...creates);
    return creates !== undefined;
  };

const ALTERATIONS_BY_MODEL = {
  record: {
    'a record has a value that nobody wrote': changing('read', found, (read) => {
      read.record = { ...read.record, note: 'nobody wrote this' };
    }),
    'a read is older than two answered changes': staleRead,
    'a deleted record is read': resurrected,
    'an audit event is missing': changingEvents((events) => events.splice(events.length >> 1, 1)),
    'an audit event is there twice': changingEvents((events) => events.push(...events.slice(-1))),
  },
  account: {
    'a list lacks a record': changing('list', isMany, (list) => {
      list.rows?.splice(0, 1);
      list.total = (list.total ?? 0) - 1;
    }),
    'two records of a list are swapped': swapOfOrderedRows,
    'a search shows what does not match': changing(
      'list',
      ({ q = '', rows = [] }) => q !== '' && rows.length > 0,
      (list) => {
        list.q = 'cherimoya';
      },
    ),
    'a payment is of another sum': changing('payments', isPaid, ({ payments }) => {
      for (const payment of payments?.slice(0, 1) ?? []) payment.due++;
    }),
  },
  ids: {
    'an identifier is given twice': changingCreates((first, second) => {
      second.id = first.id;
    }),
    'a later identifier is lower': changingCreates((first, second) => {
      [first.id, second.id] = [second.id, first.id];
    }),
  },
} satisfies Record<Model, Record<string, Alter>>;

export const ALTERATIONS: readonly Alteration[] = Object.entries(ALTERATIONS_BY_MODEL).flatMap(
  ([model, alterations]) =>
    Object.entries(alterations).map(([name, alter]) => ({ model: model as Model, name, alter })),
);

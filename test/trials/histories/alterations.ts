// Altered histories: each is one that no right service can make, so the checker
// must say so of every one of them.

import type { Model } from './checker.js';
import {
  last,
  resurrected,
  staleRead,
  swapOfOneRecord,
  swapOfOrderedRows,
  twoCreates,
} from './chosen-operations.js';
import type { Operation, RecordedEvent, Totals } from './recorder.js';

export interface Alteration {
  readonly name: string;
  readonly model: Model;
  /** Changes the history in place; false where it has nothing to change. */
  readonly alter: (operations: Operation[]) => boolean;
}

const found = ({ code }: Operation) => code === 200;
const isMany = ({ rows = [] }: Operation) => rows.length > 1;

/** Changes the last operation of a kind. */
function changing(
  kind: Operation['kind'],
  fits: (operation: Operation) => boolean,
  change: (operation: Operation) => void,
): Alteration['alter'] {
  return (operations) => {
    const operation = last(operations, kind, fits);
    if (operation === undefined) return false;
    change(operation);
    return true;
  };
}

function changingTotals(kind: 'overview' | 'usage' | 'page', change: (totals: Totals) => void) {
  return changing(kind, found, ({ totals }) => totals && change(totals));
}

function changingEvents(change: (events: RecordedEvent[]) => void) {
  return changing(
    'audit',
    ({ whole }) => whole === true,
    ({ events }) => events && change(events),
  );
}

export const ALTERATIONS: readonly Alteration[] = [
  {
    name: 'a record has a value that nobody wrote',
    model: 'record',
    alter: changing('read', found, (read) => {
      read.record = { ...read.record, note: 'nobody wrote this' };
    }),
  },
  {
    name: 'a record that is there is not found',
    model: 'record',
    alter: changing('read', found, (read) => {
      read.code = 404;
      delete read.record;
    }),
  },
  { name: 'a read is older than two answered changes', model: 'record', alter: staleRead },
  { name: 'a deleted record is read', model: 'record', alter: resurrected },
  {
    name: 'a change is answered without what was there before it',
    model: 'record',
    alter: changing('patch', found, (patch) => {
      patch.record = { ...patch.body, id: patch.id, owner_sub: patch.who };
    }),
  },
  {
    name: 'a change that was made is answered 404',
    model: 'record',
    alter: (operations) => {
      const changes = operations.filter(({ kind, code }) => kind === 'patch' && code === 200);
      const patch = changes.find((first) =>
        changes.some(
          ({ id, who, call }) => id === first.id && who === first.who && call > first.return,
        ),
      );
      if (patch === undefined) return false;
      patch.code = 404;
      return true;
    },
  },
  {
    name: 'a created record is not what was sent',
    model: 'record',
    alter: changing(
      'create',
      ({ code }) => code === 201,
      (create) => {
        create.record = { ...create.record, note: 'another' };
      },
    ),
  },
  {
    name: 'an audit event is missing',
    model: 'record',
    alter: changingEvents((events) => events.splice(events.length >> 1, 1)),
  },
  {
    name: 'an audit event is there twice',
    model: 'record',
    alter: changingEvents((events) => events.push(...events.slice(-1))),
  },
  { name: 'two audit events are swapped', model: 'record', alter: changingEvents(swapOfOneRecord) },
  {
    name: 'an audit event names another property',
    model: 'record',
    alter: changingEvents((events) => {
      const event = events.find(({ action }) => action === 'update');
      if (event !== undefined) event.changed = ['elsewhere'];
    }),
  },
  {
    name: 'a list lacks a record',
    model: 'account',
    alter: changing('list', isMany, (list) => {
      list.rows?.splice(0, 1);
      list.total = (list.total ?? 0) - 1;
    }),
  },
  {
    name: 'a total counts one too many',
    model: 'account',
    alter: changing('list', isMany, (list) => {
      list.total = (list.total ?? 0) + 1;
    }),
  },
  {
    name: 'two records of a list are swapped',
    model: 'account',
    alter: swapOfOrderedRows,
  },
  {
    name: 'a list has a record twice',
    model: 'account',
    alter: changing('list', isMany, ({ rows = [] }) => rows.splice(0, 1, ...rows.slice(1, 2))),
  },
  {
    name: "a list has another account's record",
    model: 'account',
    alter: (operations) => {
      const list = last(operations, 'list', isMany);
      const other = operations.find(({ record, who }) => record !== undefined && who !== list?.who);
      if (!list?.rows || other?.record === undefined) return false;
      list.rows[0] = other.record;
      return true;
    },
  },
  {
    name: 'a search shows what does not match',
    model: 'account',
    alter: changing(
      'list',
      (list) => list.q !== '' && list.q !== undefined && (list.rows ?? []).length > 0,
      (list) => {
        list.q = 'cherimoya';
      },
    ),
  },
  {
    name: 'a payment is of another sum',
    model: 'account',
    alter: changing(
      'payments',
      ({ payments = [] }) => payments.length > 0,
      ({ payments = [] }) => {
        const [payment] = payments;
        if (payment !== undefined) payment.due++;
      },
    ),
  },
  {
    name: 'a payment is missing',
    model: 'account',
    alter: changing(
      'payments',
      ({ payments = [] }) => payments.length > 0,
      ({ payments = [] }) => payments.pop(),
    ),
  },
  {
    name: "the operator's page counts one too many",
    model: 'account',
    alter: changingTotals('page', (totals) => {
      totals.records++;
      totals.counts['orders'] = (totals.counts['orders'] ?? 0) + 1;
    }),
  },
  {
    name: 'the overview counts one too few',
    model: 'operator',
    alter: changingTotals('overview', (totals) => {
      totals.records--;
      totals.counts['orders'] = (totals.counts['orders'] ?? 0) - 1;
    }),
  },
  {
    name: 'the overview knows an account too many',
    model: 'operator',
    alter: changingTotals('overview', (totals) => {
      totals.tenants = (totals.tenants ?? 0) + 1;
    }),
  },
  {
    name: 'an account is missing',
    model: 'operator',
    alter: changing('accounts', found, ({ accounts = {} }) => {
      delete accounts['alice'];
    }),
  },
  {
    name: 'usage counts a byte too many',
    model: 'operator',
    alter: changingTotals('usage', ({ bytes = {} }) => {
      bytes['orders'] = (bytes['orders'] ?? 0) + 1;
    }),
  },
  {
    name: 'usage counts an audit event too few',
    model: 'operator',
    alter: changingTotals('usage', (totals) => {
      totals.events = (totals.events ?? 0) - 1;
    }),
  },
  {
    name: 'an identifier is given twice',
    model: 'ids',
    alter: (operations) => {
      const [first, second] = twoCreates(operations) ?? [];
      if (first === undefined || second === undefined) return false;
      second.id = first.id;
      return true;
    },
  },
  {
    name: 'a later identifier is lower',
    model: 'ids',
    alter: (operations) => {
      const [first, second] = twoCreates(operations) ?? [];
      if (first === undefined || second === undefined) return false;
      [first.id, second.id] = [second.id, first.id];
      return true;
    },
  },
];

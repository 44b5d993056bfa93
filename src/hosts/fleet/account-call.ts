// A call on one account's records as it goes from one process of a fleet to another: plain data,
// and how it is made on the records.

import type { Actor } from '../../core/domain/audit-event.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import {
  type Failure,
  FailureError,
  failed,
  type Outcome,
  succeeded,
} from '../../core/domain/errors.js';
import { areTexts, type ListQuery, type Rows, type RowsPage } from '../../core/domain/listing.js';
import type { AccountSummary } from '../../core/operator-answers.js';
import type { AccountProfile, AccountRecords } from '../../core/records/record-service.js';

export type AccountCall =
  | { readonly operation: 'list'; readonly collection: CollectionName; readonly query: ListQuery }
  | { readonly operation: 'read'; readonly collection: CollectionName; readonly id: string }
  | { readonly operation: 'create'; readonly collection: CollectionName }
  | { readonly operation: 'update'; readonly collection: CollectionName; readonly id: string }
  | { readonly operation: 'delete'; readonly collection: CollectionName; readonly id: string }
  | { readonly operation: 'payments' }
  | { readonly operation: 'profile' };

/** What a process tells the holder: in front of the body, if there is one. */
export interface SentCall {
  readonly owner: string;
  /** Vouched for by the process that had the request: the internal port is for these alone. */
  readonly actor?: Actor | undefined;
  readonly call: AccountCall;
}

/** In front of the rows, if there are any. */
export type SentReply =
  /** The one row is the record's text; of a delete, what it answers. */
  | { readonly kind: 'text' }
  | { readonly kind: 'rows'; readonly total: number }
  | { readonly kind: 'profile'; readonly summary: AccountSummary }
  | { readonly kind: 'failure'; readonly failure: Failure };

export interface Reply {
  readonly head: SentReply;
  readonly rows: Rows;
}

const NO_ROWS: Rows = [];

/** Whether a call changes nothing, so that it may be made again. */
export function isRead({ operation }: AccountCall): boolean {
  return !['create', 'update', 'delete'].includes(operation);
}

/** `body`: of a create or update. */
export async function answerCall(
  records: AccountRecords,
  call: AccountCall,
  body: string,
): Promise<Reply> {
  switch (call.operation) {
    case 'list':
      return rowsReply(await records.list(call.collection, call.query));
    case 'payments':
      return rowsReply(await records.payments());
    case 'profile': {
      const profile = await records.profile();
      if (!profile.ok) return failureReply(profile.failure);
      const { summary, profiles } = profile.value;
      return { head: { kind: 'profile', summary }, rows: profiles };
    }
    default: {
      const text = await textOf(records, call, body);
      if (!text.ok) return failureReply(text.failure);
      return { head: { kind: 'text' }, rows: [text.value] };
    }
  }
}

type TextCall = Exclude<AccountCall, { operation: 'list' | 'payments' | 'profile' }>;

async function textOf(
  records: AccountRecords,
  call: TextCall,
  body: string,
): Promise<Outcome<string>> {
  const { operation, collection } = call;
  if (operation === 'create') return records.create(collection, body);
  if (operation === 'update') return records.update(collection, call.id, body);
  if (operation === 'delete') return records.delete(collection, call.id);
  return records.read(collection, call.id);
}

function rowsReply({ items, total }: RowsPage): Reply {
  return { head: { kind: 'rows', total }, rows: items };
}

export function failureReply(failure: Failure): Reply {
  return { head: { kind: 'failure', failure }, rows: NO_ROWS };
}

export function textIn({ head, rows }: Reply): Outcome<string> {
  if (head.kind === 'failure') return { ok: false, failure: head.failure };
  const text = areTexts(rows) ? rows[0] : undefined;
  return head.kind === 'text' && text !== undefined ? succeeded(text) : strangeReply();
}

export function pageIn({ head, rows }: Reply): RowsPage {
  if (head.kind === 'failure') throw new FailureError(head.failure);
  if (head.kind !== 'rows') throw new FailureError(strangeReply().failure);
  return { items: rows, total: head.total };
}

export function profileIn({ head, rows }: Reply): Outcome<AccountProfile> {
  if (head.kind === 'failure') return { ok: false, failure: head.failure };
  return head.kind === 'profile'
    ? succeeded({ summary: head.summary, profiles: rows })
    : strangeReply();
}

function strangeReply(): ReturnType<typeof failed> {
  return failed('INTERNAL_ERROR', 'the reply of the other process is of another kind');
}

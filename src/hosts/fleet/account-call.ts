// A call on one account's records as it goes from one process of a fleet to another: plain data,
// and how it is made on the records.

import type { Actor } from '../../core/domain/audit-event.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { failed, type Outcome, succeeded } from '../../core/domain/errors.js';
import { areTexts, type ListQuery, type Rows, type RowsPage } from '../../core/domain/listing.js';
import type {
  AccountProfile,
  AccountRecords,
  AccountSummary,
} from '../../core/records/record-service.js';

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
  | { readonly kind: 'text'; readonly outcome: Outcome<string> }
  | { readonly kind: 'rows'; readonly total: number }
  | { readonly kind: 'profile'; readonly outcome: Outcome<AccountSummary> };

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
      if (!profile.ok) return { head: { kind: 'profile', outcome: profile }, rows: NO_ROWS };
      const { summary, profiles } = profile.value;
      return { head: { kind: 'profile', outcome: succeeded(summary) }, rows: profiles };
    }
    default:
      return { head: { kind: 'text', outcome: await textOf(records, call, body) }, rows: NO_ROWS };
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

/** The rows as one comma-separated text, in pieces. */
export async function* piecesOf(rows: Rows): AsyncGenerator<string> {
  if (!areTexts(rows)) yield* rows;
  else if (rows.length > 0) yield rows.join(',');
}

export function textIn({ head }: Reply): Outcome<string> {
  return head.kind === 'text' ? head.outcome : strangeReply();
}

export function pageIn({ head, rows }: Reply): RowsPage {
  if (head.kind !== 'rows') throw new Error('the reply of the other process is not a page');
  return { items: rows, total: head.total };
}

export function profileIn({ head, rows }: Reply): Outcome<AccountProfile> {
  if (head.kind !== 'profile') return strangeReply();
  const { outcome } = head;
  return outcome.ok ? succeeded({ summary: outcome.value, profiles: rows }) : outcome;
}

function strangeReply(): Outcome<never> {
  return failed('INTERNAL_ERROR', 'the reply of the other process is of another kind');
}

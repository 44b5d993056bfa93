// The port of the HTTP layer to the records, in memory or in Postgres.

import type { IsDisconnected } from '../admission/fair-queue.js';
import type { AccountSummary, Overview, Usage } from '../domain/api-schema.js';
import type { CollectionName } from '../domain/collection-name.js';
import type { Outcome } from '../domain/errors.js';
import type { ListQuery, Rows, RowsPage } from '../domain/listing.js';
import type { MaybePromise } from '../maybe-promise.js';

/** The records of the service. */
export interface RecordService {
  account(owner: string, requestContext?: RequestContext): AccountRecords;
  readonly operator: OperatorViews;
}

/** On whose behalf an account's records are used. */
export interface RequestContext {
  /** The holder of the admin key, whose every change is also an event in the audit log. */
  readonly actor?: 'admin' | undefined;
  /** The import or erasure that the change belongs to; its events have the same one. */
  readonly run?: string | undefined;
  /** Whether the client has disconnected; a queued change is then dropped. */
  readonly isDisconnected: IsDisconnected;
}

/** Whose records are used, and on whose behalf. */
export interface Caller {
  readonly owner: string;
  readonly requestContext: RequestContext | undefined;
}

/**
 * The records of one account only. Records are JSON texts.
 *
 * Fails with `NOT_FOUND` for an id this account does not have, even if
 * another account has it; `INVALID_JSON` for a body that is not one JSON object;
 * `VALIDATION_FAILED` for a record that breaks its collection's rules;
 * `QUOTA_EXCEEDED` for one that exceeds the account's limits; `STORAGE_FAILED` if
 * the storage could not confirm the change.
 */
export interface AccountRecords {
  /** Newest first. */
  list(collection: CollectionName, query: ListQuery): MaybePromise<RowsPage>;
  read(collection: CollectionName, id: string): MaybePromise<Outcome<string>>;
  create(collection: CollectionName, body: string): Promise<Outcome<string>>;
  update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>>;
  /** Succeeds with the id of the deleted record. */
  delete(collection: CollectionName, id: string): Promise<Outcome<string>>;
  /** One row for each order, newest first. */
  payments(): Promise<RowsPage>;
  /** The operator's page of the account; `NOT_FOUND` if no record is stored. */
  profile(): Promise<Outcome<AccountProfile>>;
}

/** The query of a view. An empty `q` doesn't filter. */
export type ViewQuery = Omit<ListQuery, 'status'>;

/** The operator's views across accounts. Rows are JSON texts. */
export interface OperatorViews {
  overview(): Promise<Overview>;
  usage(): Promise<Usage>;
  accounts(query: ViewQuery): Promise<RowsPage>;
  audit(query: ViewQuery): Promise<RowsPage>;
  /** Resolves after a real round trip to the database; rejects if there is none. */
  ping(): Promise<void>;
}

export interface AccountProfile {
  readonly summary: AccountSummary;
  /** The account's business records, newest first. */
  readonly profiles: Rows;
}

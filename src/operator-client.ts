// The client of the administration API, for servers only. A separate bundle, so that no browser bundle
// contains its code.

import {
  type AnyProperties,
  type CollectionsOf,
  collections,
  type OwnProperties,
} from './clients/client/collection.js';
import {
  type CallOptions,
  type ConnectionOptions,
  connect,
  segment,
} from './clients/client/connection.js';
import { type PageQuery, type RowCalls, rowCalls } from './clients/client/pages.js';
import type {
  Account,
  AccountSummary,
  AdminHealth,
  AuditEvent,
  Overview,
  Usage,
} from './core/domain/api-schema.js';

const PAGE_SIZE_MAX = 200;

export interface OperatorClientOptions extends ConnectionOptions {
  /** The service's `ADMIN_API_KEY`. */
  readonly adminKey: string;
}

export interface OperatorListQuery extends PageQuery {
  /** Text to find in a record's JSON, ignoring case. For accounts: in the subject and the business profiles. */
  readonly q?: string | undefined;
}

/** `Own`: your records' additional properties, by collection. Default: any. */
export interface OperatorClient<Own extends OwnProperties = AnyProperties> {
  /** Counts of accounts and records. */
  overview(options?: CallOptions): Promise<Overview>;
  /** Sizes, recent creations and the last change. */
  usage(options?: CallOptions): Promise<Usage>;
  /** Also responds while the database doesn't; `status` is then `degraded`. */
  health(options?: CallOptions): Promise<AdminHealth>;
  /** The operator's changes, newest first. */
  readonly audit: RowCalls<AuditEvent, PageQuery>;
  /** The accounts that own a record. */
  readonly accounts: RowCalls<AccountSummary, OperatorListQuery> & {
    read(ownerSub: string, options?: CallOptions): Promise<Account>;
  };
  /** The records of one account. Every change adds an event to the audit log. */
  recordsOf(ownerSub: string): CollectionsOf<OperatorListQuery, Own>;
}

export function createOperatorClient<Own extends OwnProperties = AnyProperties>(
  options: OperatorClientOptions,
): OperatorClient<Own> {
  const { adminKey } = options;
  const credentials = async () => ({ 'X-Service-Admin-Key': adminKey });
  // Otherwise `fetch` would send the key to the host of a redirect.
  const send = connect(options, credentials, { redirect: 'manual' });
  const view = async <T>(path: string, call?: CallOptions) =>
    (await send({ method: 'GET', path: `/admin/${path}`, ...call })).data as T;
  return {
    overview: (call) => view('overview', call),
    usage: (call) => view('usage', call),
    health: (call) => view('health', call),
    audit: rowCalls(send, '/admin/audit', PAGE_SIZE_MAX, 'id'),
    accounts: {
      ...rowCalls(send, '/admin/accounts', PAGE_SIZE_MAX, 'owner_sub'),
      read: async (ownerSub, call) => view(`accounts${ownerSegment(ownerSub)}`, call),
    },
    recordsOf: (ownerSub) =>
      collections(send, `/admin/accounts${ownerSegment(ownerSub)}`, PAGE_SIZE_MAX),
  };
}

export { ApiError } from './clients/client/api-error.js';
export type * from './clients/client/client-api.js';
export { fieldProblems } from './clients/client/field-problems.js';

/** A URL can't contain the segments `.` and `..`: they are sent as `~.` and `~..`, and subjects of that form get another `~`. */
function ownerSegment(ownerSub: string): string {
  return segment(/^~*\.{1,2}$/.test(ownerSub) ? `~${ownerSub}` : ownerSub);
}

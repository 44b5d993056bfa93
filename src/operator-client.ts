// The operator's client for the administration API, for servers only. It is a
// bundle of its own, so that no browser bundle contains its code.

import { type CollectionsOf, collections } from './clients/client/collection.js';
import {
  type CallOptions,
  type ConnectionOptions,
  connect,
  segment,
} from './clients/client/connection.js';
import type { AnyProperties, OwnProperties } from './clients/client/own-properties.js';
import { type AllQuery, allRows, type Page, type PageQuery, page } from './clients/client/pages.js';
import type {
  Account,
  AccountSummary,
  AdminHealth,
  AuditEvent,
  Overview,
  Usage,
} from './clients/client/views.js';

const PAGE_SIZE_MAX = 200;

export interface OperatorClientOptions extends ConnectionOptions {
  /** The service's `ADMIN_API_KEY`. */
  readonly adminKey: string;
}

export interface OperatorListQuery extends PageQuery {
  /** Text to find in a record's JSON, in upper or lower case. For accounts: in the subject and the business profiles. */
  readonly q?: string | undefined;
}

/** `Own`: the properties of records beyond those of the contract, by collection. Default: any. */
export interface OperatorClient<Own extends OwnProperties = AnyProperties> {
  overview(options?: CallOptions): Promise<Overview>;
  /** Also answers while the database does not; `status` is then `degraded`. */
  health(options?: CallOptions): Promise<AdminHealth>;
  usage(options?: CallOptions): Promise<Usage>;
  /** Accounts that own a record, by `owner_sub`. */
  readonly accounts: {
    list(query?: OperatorListQuery, options?: CallOptions): Promise<Page<AccountSummary>>;
    all(
      query?: AllQuery<OperatorListQuery>,
      options?: CallOptions,
    ): AsyncGenerator<AccountSummary, void, undefined>;
    read(ownerSub: string, options?: CallOptions): Promise<Account>;
  };
  /** The records of one account. Every change adds an event to the audit log. */
  recordsOf(ownerSub: string): CollectionsOf<OperatorListQuery, Own>;
  /** The operator's own changes, newest first. */
  readonly audit: {
    list(query?: PageQuery, options?: CallOptions): Promise<Page<AuditEvent>>;
    all(
      query?: AllQuery<PageQuery>,
      options?: CallOptions,
    ): AsyncGenerator<AuditEvent, void, undefined>;
  };
}

export function createOperatorClient<Own extends OwnProperties = AnyProperties>(
  options: OperatorClientOptions,
): OperatorClient<Own> {
  const { adminKey } = options;
  const send = connect(options, async () => ({ 'X-Service-Admin-Key': adminKey }));
  const view = async <View>(path: string, call?: CallOptions) =>
    (await send({ method: 'GET', path: `/admin${path}`, ...call })).data as View;
  const rows = <Row, Query extends PageQuery>(path: string, keyOf: (row: Row) => string) => ({
    list: (query?: Query, call?: CallOptions) => page<Row>(send, path, query, call),
    all: (query?: AllQuery<Query>, call?: CallOptions) =>
      allRows<Row>(
        (number) => page(send, path, { page_size: PAGE_SIZE_MAX, ...query, page: number }, call),
        keyOf,
        call?.signal,
      ),
  });
  const accounts = '/admin/accounts';
  return {
    overview: (call) => view('/overview', call),
    health: (call) => view('/health', call),
    usage: (call) => view('/usage', call),
    accounts: {
      ...rows<AccountSummary, OperatorListQuery>(accounts, ({ owner_sub }) => owner_sub),
      read: async (ownerSub, call) => view(`/accounts${ownerSegment(ownerSub)}`, call),
    },
    recordsOf: (ownerSub) => collections(send, accounts + ownerSegment(ownerSub), PAGE_SIZE_MAX),
    audit: rows<AuditEvent, PageQuery>('/admin/audit', ({ id }) => String(id)),
  };
}

export type * from './clients/client/account-views.js';
export { ApiError, type ApiErrorCode } from './clients/client/api-error.js';
export type { Collection, CollectionsOf, RecordCalls } from './clients/client/collection.js';
export type { AnswerFacts, CallOptions, ConnectionOptions } from './clients/client/connection.js';
export type * from './clients/client/own-properties.js';
export type { AllQuery, Page, PageQuery, Pagination } from './clients/client/pages.js';
export type * from './clients/client/records.js';
export type { Stored } from './clients/client/stored.js';
export type * from './clients/client/views.js';

/** A URL cannot name `.` and `..`: the service takes `~.` and `~..` for them, and one `~` more for what begins so. */
function ownerSegment(ownerSub: string): string {
  return segment(/^~*\.{1,2}$/.test(ownerSub) ? `~${ownerSub}` : ownerSub);
}

// The operator's client for the administration API, for servers only. It is a
// bundle of its own, so that no browser bundle contains its code.

import { type CollectionsOf, collections } from './clients/client/collection.js';
import {
  type CallOptions,
  type ConnectionOptions,
  connect,
  segment,
} from './clients/client/connection.js';
import { type PageQuery, type RowCalls, rowCalls } from './clients/client/pages.js';
import type { AnyProperties, OwnProperties } from './clients/client/records.js';
import type { Account, AdminHealth } from './clients/client/views.js';
import VIEWS, { type ObjectViews, type RowViews } from './core/operator-answers.js';

const PAGE_SIZE_MAX = 200;

export interface OperatorClientOptions extends ConnectionOptions {
  /** The service's `ADMIN_API_KEY`. */
  readonly adminKey: string;
}

export interface OperatorListQuery extends PageQuery {
  /** Text to find in a record's JSON, ignoring case. For accounts: in the subject and the business profiles. */
  readonly q?: string | undefined;
}

/** The views across accounts: a call for one object, `list` and `all` for rows. */
export type ViewCalls = {
  readonly [Name in keyof ObjectViews]: (options?: CallOptions) => Promise<ObjectViews[Name]>;
} & {
  readonly [Name in keyof RowViews]: RowCalls<
    RowViews[Name],
    Name extends 'accounts' ? OperatorListQuery : PageQuery
  >;
};

/** `Own`: the properties of records beyond those of the contract, by collection. Default: any. */
export interface OperatorClient<Own extends OwnProperties = AnyProperties> extends ViewCalls {
  /** Also answers while the database doesn't; `status` is then `degraded`. */
  health(options?: CallOptions): Promise<AdminHealth>;
  readonly accounts: ViewCalls['accounts'] & {
    read(ownerSub: string, options?: CallOptions): Promise<Account>;
  };
  /** The records of one account. Every change adds an event to the audit log. */
  recordsOf(ownerSub: string): CollectionsOf<OperatorListQuery, Own>;
}

export function createOperatorClient<Own extends OwnProperties = AnyProperties>(
  options: OperatorClientOptions,
): OperatorClient<Own> {
  const { adminKey } = options;
  const send = connect(options, async () => ({ 'X-Service-Admin-Key': adminKey }));
  const view = async <T>(path: string, call?: CallOptions) =>
    (await send({ method: 'GET', path: `/admin/${path}`, ...call })).data as T;
  const objects = VIEWS.objects.map((name) => [name, (call?: CallOptions) => view(name, call)]);
  const rows = VIEWS.rows.map((name) => [
    name,
    rowCalls(send, `/admin/${name}`, PAGE_SIZE_MAX, VIEWS.keys[name]),
  ]);
  const views = Object.fromEntries([...objects, ...rows]) as ViewCalls;
  return {
    ...views,
    health: (call) => view('health', call),
    accounts: {
      ...views.accounts,
      read: async (ownerSub, call) => view(`accounts${ownerSegment(ownerSub)}`, call),
    },
    recordsOf: (ownerSub) =>
      collections(send, `/admin/accounts${ownerSegment(ownerSub)}`, PAGE_SIZE_MAX),
  };
}

export { ApiError, type ApiErrorCode } from './clients/client/api-error.js';
export type { Collection, CollectionsOf, RecordCalls } from './clients/client/collection.js';
export type { AnswerFacts, CallOptions, ConnectionOptions } from './clients/client/connection.js';
export type { AllQuery, Page, PageQuery, Pagination, RowCalls } from './clients/client/pages.js';
export type * from './clients/client/records.js';
export type * from './clients/client/views.js';
export type * from './core/operator-answers.js';

/** No URL can contain the segments `.` and `..`: they are sent as `~.` and `~..`, and subjects of that form get one more `~`. */
function ownerSegment(ownerSub: string): string {
  return segment(/^~*\.{1,2}$/.test(ownerSub) ? `~${ownerSub}` : ownerSub);
}

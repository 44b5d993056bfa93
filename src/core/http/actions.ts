// What each route does: on an account's records, the same for the account and for the operator,
// and the operator's views.

import type { Context } from 'hono';
import type { Admission } from '../admission/admission.js';
import type { FairScheduler, IsDisconnected } from '../admission/fair-scheduler.js';
import { runOf } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import { DEFAULT_CURRENCY } from '../domain/collections.js';
import type { Outcome } from '../domain/errors.js';
import {
  ADMIN_PAGE_SIZES,
  DATA_PAGE_SIZES,
  listQuery,
  pagination,
  singlePage,
} from '../domain/listing.js';
import type { ObjectView, RowView } from '../domain/operator-views.js';
import type { AccountRecords, RecordService } from '../records/record-service.js';
import type { Principal } from './authentication.js';
import { data, dataOf, dataWithRows, failure, type HandlerResult, list } from './envelope.js';
import { ownerOf, queryOf } from './path.js';
import { bodyMaxBytes, type HostBindings, readBodyText, streamReader } from './request-body.js';

export type HonoContext = Context<{ Bindings: HostBindings }>;

/** The parts of the service that actions use. */
export interface ActionDependencies {
  readonly records: RecordService;
  readonly status: ServiceStatus;
  readonly scheduler: FairScheduler;
  readonly admission: Admission;
}

/** Facts of the service for the operator's health view. */
export interface ServiceStatus {
  uptimeSeconds(): number;
  readonly identityProviderConfigured: boolean;
  readonly adminConfigured: boolean;
}

/** A request whose caller is known. */
export interface Call {
  readonly context: HonoContext;
  /** Undefined if the route names none. */
  readonly collection: CollectionName | undefined;
  readonly principal: Principal;
  readonly isDisconnected: IsDisconnected;
  readonly dependencies: ActionDependencies;
}

export type Action = (call: Call) => HandlerResult | Promise<HandlerResult>;

/** "Time zone context is Africa/Dar_es_Salaam; default currency is TZS." */
export const HEALTH = {
  status: 'ok',
  service: 'service-management-api',
  version: 'v1',
  time_zone: 'Africa/Dar_es_Salaam',
  currency: DEFAULT_CURRENCY,
} as const;

const HEALTH_RESULT = data(JSON.stringify(HEALTH));

/** "Static: it does not check the database, write ability, or the identity provider." */
export function health(): HandlerResult {
  return HEALTH_RESULT;
}

export async function listRecords(call: Call): Promise<HandlerResult> {
  const query = listQuery(queryOf(call.context.req.raw), DATA_PAGE_SIZES);
  const { items, total } = await recordsOf(call).list(assertDefined(call.collection), query);
  return list(items, pagination(query, total));
}

export async function createRecord(call: Call): Promise<HandlerResult> {
  const create = (body: string) => recordsOf(call).create(assertDefined(call.collection), body);
  return dataOf(await withBody(call, create), 201);
}

export async function readRecord(call: Call): Promise<HandlerResult> {
  return dataOf(await recordsOf(call).read(assertDefined(call.collection), idOf(call)));
}

export async function updateRecord(call: Call): Promise<HandlerResult> {
  const update = (body: string) =>
    recordsOf(call).update(assertDefined(call.collection), idOf(call), body);
  return dataOf(await withBody(call, update));
}

/** "Deletion: `{ id, deleted }`." */
export async function deleteRecord(call: Call): Promise<HandlerResult> {
  const outcome = await recordsOf(call).delete(assertDefined(call.collection), idOf(call));
  if (!outcome.ok) return failure(outcome.failure);
  return data(JSON.stringify({ id: outcome.value, deleted: true }));
}

/** "Ignores all query parameters and returns every derived row." */
export async function listPayments(call: Call): Promise<HandlerResult> {
  const { items, total } = await recordsOf(call).payments();
  return list(items, singlePage(total));
}

/** The action of a view that answers one object. */
export function objectView(name: ObjectView): Action {
  return async ({ dependencies }) =>
    data(JSON.stringify(await dependencies.records.operator[name]()));
}

/** The action of a view that answers rows. */
export function rowView(name: RowView): Action {
  return async ({ dependencies, context }) => {
    const query = listQuery(queryOf(context.req.raw), ADMIN_PAGE_SIZES);
    const { items, total } = await dependencies.records.operator[name](query);
    return list(items, pagination(query, total));
  };
}

/** Always 200; `status` tells. So a monitor reads "degraded" and the reason, instead of a failed request. */
export async function adminHealth({ dependencies }: Call): Promise<HandlerResult> {
  const { records, status } = dependencies;
  const connected = await records.operator.ping().then(
    () => true,
    () => false,
  );
  return data(
    JSON.stringify({
      status: connected ? 'ok' : 'degraded',
      database: connected ? 'ok' : 'unavailable',
      uptime_seconds: status.uptimeSeconds(),
      identity_provider_configured: status.identityProviderConfigured,
      admin_configured: status.adminConfigured,
    }),
  );
}

export async function adminAccount(call: Call): Promise<HandlerResult> {
  const outcome = await recordsOf(call).profile();
  if (!outcome.ok) return failure(outcome.failure);
  const { summary, profiles } = outcome.value;
  return dataWithRows(JSON.stringify(summary), 'profiles', profiles);
}

/** Like the account's own list, with the operator's page sizes and without the status filter. */
export async function adminListRecords(call: Call): Promise<HandlerResult> {
  const query = { ...listQuery(queryOf(call.context.req.raw), ADMIN_PAGE_SIZES), status: '' };
  const { items, total } = await recordsOf(call).list(assertDefined(call.collection), query);
  return list(items, pagination(query, total));
}

/** The records that the request may touch: the caller's own, or those of the account that the operator names. */
function recordsOf({ principal, context, isDisconnected, dependencies }: Call): AccountRecords {
  const { subject, actor } = principal;
  if (actor === undefined) return dependencies.records.account(subject, { isDisconnected });
  const run = runOf(context.req.raw.headers.get('x-service-run'));
  const owner = ownerOf(assertDefined(context.req.param('owner_sub')));
  return dependencies.records.account(owner, { actor, run, isDisconnected });
}

/** The record id in the path, decoded. */
function idOf({ context }: Call): string {
  return assertDefined(context.req.param('id'));
}

/** What the path of the action's route always has; a route without it is a defect. */
function assertDefined<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the route does not name what its action asks for');
  return part;
}

/** Passes the request's body to a write. The account holds the body's bytes from before it is read until the write is done. */
async function withBody(
  { context, principal, isDisconnected, dependencies }: Call,
  write: (body: string) => Promise<Outcome<string>>,
): Promise<Outcome<string>> {
  const { scheduler, admission } = dependencies;
  const { subject } = principal;
  const request = context.req.raw;
  const maxBytes = bodyMaxBytes(request);
  const turn = admission.acquire(subject, maxBytes, isDisconnected);
  if (turn !== undefined) await turn;
  try {
    const read = context.env?.readBody ?? streamReader(request);
    const body = await readBodyText(read, () => scheduler.yieldIfNeeded(subject, isDisconnected));
    if (!body.ok) return body;
    return await write(body.value);
  } finally {
    admission.release(subject, maxBytes);
  }
}

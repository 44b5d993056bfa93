// The way of every request, in the contract's order: preflight, request id,
// prefix, health, authentication, resource, method, and then the action.

import type { Context } from 'hono';
import { isCollectionName } from '../domain/collections.js';
import { failed, type Outcome } from '../domain/errors.js';
import type { IdentityProvider } from '../identity/identity-provider.js';
import type { Log } from '../log.js';
import type { AccountRecords, RecordStore } from '../records/record-store.js';
import { type Answer, failure } from './answer.js';
import { accountOf, adminGate } from './authentication.js';
import type { Call, ServiceStatus } from './call.js';
import { originPolicy, preflightResponse } from './cors.js';
import { type Exchange, respond } from './envelope.js';
import { ADMIN_PREFIX, API_PREFIX, isUnder, queryOf } from './path.js';
import { type ReadBody, readJsonObject, streamReader } from './request-body.js';
import { type RandomBytes, requestIds } from './request-id.js';
import { actionOf, allowOf, HEALTH_ROUTE, type Route } from './routes.js';

export interface PipelineOptions {
  readonly records: RecordStore;
  readonly identity: IdentityProvider;
  readonly adminKey: string | undefined;
  readonly corsAllowedOrigins: readonly string[];
  readonly status: ServiceStatus;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  readonly randomBytes: RandomBytes;
}

/** What a host may add to a request. */
export interface HostBindings {
  /** A quicker way to the body than the request's stream. */
  readonly readBody?: ReadBody;
}

type RequestContext = Context<{ Bindings: HostBindings }>;

/** Answers a request whose path matches `route`, or no route at all. */
export type Pipeline = (context: RequestContext, route?: Route) => Promise<Response>;

export function createPipeline(options: PipelineOptions): Pipeline {
  const { records, identity, log, clock } = options;
  const requestIdOf = requestIds(options);
  const originHeadersOf = originPolicy(options.corsAllowedOrigins);
  const admitAdmin = adminGate(options.adminKey);

  return async (context, route) => {
    const request = context.req.raw;
    const originHeaders = originHeadersOf(request);
    if (request.method === 'OPTIONS') return preflightResponse(originHeaders);
    const exchange: Exchange = { requestId: requestIdOf(request), now: clock(), originHeaders };
    try {
      return respond(await answer(context, route), exchange);
    } catch (error) {
      // The text goes to the log with the request id, never to the client.
      log.error('request_failed', error, { request_id: exchange.requestId });
      const apology = failed('INTERNAL_ERROR', 'something unforeseen went wrong; it is logged');
      return respond(failure(apology.failure), exchange);
    }
  };

  async function answer(context: RequestContext, route: Route | undefined): Promise<Answer> {
    const request = context.req.raw;
    const { path } = context.req;
    if (!isUnder(API_PREFIX, path)) return noRoute();
    if (route === HEALTH_ROUTE) return perform(route, request.method, callOf(context, noAccount));
    const admitted = isUnder(ADMIN_PREFIX, path)
      ? asOperator(context)
      : await asAccount(context, request);
    if (!admitted.ok) return failure(admitted.failure);
    return route === undefined ? noRoute() : perform(route, request.method, admitted.value);
  }

  async function asAccount(context: RequestContext, request: Request): Promise<Outcome<Call>> {
    const account = await accountOf(request, identity);
    if (!account.ok) return account;
    return { ok: true, value: callOf(context, () => records.account(account.value)) };
  }

  function asOperator(context: RequestContext): Outcome<Call> {
    const admitted = admitAdmin(context.req.raw);
    if (!admitted.ok) return admitted;
    const account = () => records.account(parameter(context, 'owner'), admitted.value);
    return { ok: true, value: callOf(context, account) };
  }

  function callOf(context: RequestContext, account: () => AccountRecords): Call {
    return {
      account,
      operator: records.operator,
      status: options.status,
      collection: () => collectionOf(context),
      id: () => parameter(context, 'id'),
      owner: () => parameter(context, 'owner'),
      query: () => queryOf(context.req.raw),
      body: () => readJsonObject(context.env?.readBody ?? streamReader(context.req.raw)),
    };
  }
}

function perform(route: Route, method: string, call: Call): Promise<Answer> | Answer {
  const action = actionOf(route, method);
  if (action !== undefined) return action(call);
  const allow = allowOf(route);
  const refusal = failed('METHOD_NOT_ALLOWED', `${method} is not possible here; use ${allow}`);
  return failure(refusal.failure, allow);
}

function noRoute(): Answer {
  const refusal = failed(
    'NOT_FOUND',
    `there is nothing at this path; see the routes of ${API_PREFIX}`,
  );
  return failure(refusal.failure);
}

function parameter(context: RequestContext, name: string): string {
  const value = context.req.param(name);
  if (value === undefined) throw new Error(`the route has no parameter "${name}"`);
  return value;
}

function collectionOf(context: RequestContext) {
  const name = parameter(context, 'collection');
  if (!isCollectionName(name))
    throw new Error(`the route admits "${name}", which is no collection`);
  return name;
}

function noAccount(): never {
  throw new Error('this route has no account');
}

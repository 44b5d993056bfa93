// The steps of every request, in the contract's order: preflight, request id, prefix,
// health, authentication, resource, method, and then the action.

import type { Admission } from '../admission/admission.js';
import type { FairScheduler } from '../admission/fair-scheduler.js';
import type { AdminHealth } from '../domain/api-schema.js';
import { COLLECTION_NAMES } from '../domain/collection-name.js';
import { FailureError, type Outcome } from '../domain/errors.js';
import type { IdentityProvider } from '../identity/identity-provider.js';
import type { Log } from '../log.js';
import { type MaybePromise, thenMaybe } from '../maybe-promise.js';
import type { RecordService } from '../records/record-service.js';
import { ThrottledLog } from '../throttled-log.js';
import {
  ADMIN_KEY_HEADER,
  type AdminKey,
  adminKeyCheck,
  authenticateAccount,
  NO_ACCOUNT,
} from './authentication.js';
import { originPolicy, preflightResponse } from './cors.js';
import { type ResponseMeta, refusal, toResponse } from './envelope.js';
import { ADMIN_PREFIX, API_PREFIX, isUnder } from './path.js';
import { type RandomBytes, requestIds } from './request-id.js';
import { HEALTH_ROUTE, type HonoContext, type Route } from './routes.js';

export interface PipelineDependencies {
  readonly records: RecordService;
  readonly scheduler: FairScheduler;
  readonly admission: Admission;
  /** The operator's health view, apart from the database's state. */
  readonly processHealth: () => Omit<AdminHealth, 'status' | 'database'>;
  readonly identity: IdentityProvider;
  readonly adminKey?: AdminKey;
  readonly corsAllowedOrigins: readonly string[];
  /** Called for each request with a wrong admin key. */
  readonly onAdminKeyRefused?: (() => void) | undefined;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  readonly randomBytes: RandomBytes;
}

/** Returns a function that makes the handler of a route, or of all paths that match no route. */
export function createPipeline(dependencies: PipelineDependencies) {
  const { identity, log, clock } = dependencies;
  const requestIdOf = requestIds(dependencies);
  const originHeadersOf = originPolicy(dependencies.corsAllowedOrigins);
  const checkAdminKey = adminKeyCheck(dependencies.adminKey);
  const refusedKeys = new ThrottledLog(log, clock);

  // Returns the response itself if it is ready at once: without a promise, a read costs a tenth less.
  return (route?: Route) => (context: HonoContext) => {
    const { env } = context;
    const { raw, path } = context.req;
    const originHeaders = originHeadersOf(raw);
    if (env?.exchange !== undefined && route !== undefined) env.exchange.route = route.path;
    if (raw.method === 'OPTIONS') return preflightResponse(originHeaders);
    const meta: ResponseMeta = { requestId: requestIdOf(raw), now: clock(), originHeaders };
    if (env?.exchange !== undefined) env.exchange.requestId = meta.requestId;
    if (!isUnder(API_PREFIX, path)) return toResponse(noRoute(path), meta);
    try {
      const response = thenMaybe(authenticate(context, route), (account) =>
        account.ok ? dispatch(context, route, account.value, meta) : toResponse(account, meta),
      );
      if (!(response instanceof Promise)) return response;
      return response.catch((error: unknown) => errorResponse(error, meta));
    } catch (error) {
      return errorResponse(error, meta);
    }
  };

  /** The account whose records the request may use, or why it has none. */
  function authenticate(context: HonoContext, route?: Route): MaybePromise<Outcome<string>> {
    const { raw, path } = context.req;
    if (!isUnder(ADMIN_PREFIX, path)) {
      if (route === HEALTH_ROUTE) return NO_ACCOUNT;
      return authenticateAccount(raw, identity, context.env?.remoteAddress);
    }
    const outcome = checkAdminKey(raw);
    const isRefused = !outcome.ok && outcome.failure.code === 'UNAUTHORIZED';
    if (isRefused && raw.headers.has(ADMIN_KEY_HEADER)) {
      dependencies.onAdminKeyRefused?.();
      const remote_address = context.env?.remoteAddress?.() ?? 'unknown';
      refusedKeys.report('admin_key_refused', { remote_address });
    }
    return outcome;
  }

  function dispatch(
    context: HonoContext,
    route: Route | undefined,
    account: string,
    meta: ResponseMeta,
  ): MaybePromise<Response> {
    const { path, raw } = context.req;
    if (route === undefined) return toResponse(noRoute(path), meta);
    // An own property: the client chooses the method, which may be "constructor".
    const action = Object.hasOwn(route.actions, raw.method) && route.actions[raw.method];
    if (!action) {
      const allow = Object.keys(route.actions).join(', ');
      const message = `${raw.method} is not allowed here; use ${allow}`;
      return toResponse(refusal('METHOD_NOT_ALLOWED', message, allow), meta);
    }
    const isOperator = isUnder(ADMIN_PREFIX, path);
    const isDisconnected = context.env?.isDisconnected ?? (() => raw.signal.aborted);
    const call = { context, account, isOperator, isDisconnected, dependencies };
    return thenMaybe(action(call), (result) => toResponse(result, meta, call));
  }

  /** "The text goes to the log with the request id, never to the client." */
  function errorResponse(error: unknown, meta: ResponseMeta): Response {
    if (error instanceof FailureError) return toResponse(error, meta);
    log.error('request_failed', error, { request_id: meta.requestId });
    const message = 'internal error; the log has it under the request id';
    return toResponse(refusal('INTERNAL_ERROR', message), meta);
  }
}

const RESOURCES = [...COLLECTION_NAMES, 'payments', 'health', 'admin'].join(', ');

function noRoute(path: string) {
  const remedy = `below ${API_PREFIX} there are ${RESOURCES}, without a slash at the end or a broken escape`;
  return refusal('NOT_FOUND', `no path ${path}; ${remedy}`);
}

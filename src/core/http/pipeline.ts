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
  adminGate,
  admitAccount,
  NO_ACCOUNT,
} from './authentication.js';
import { originPolicy, preflightResponse } from './cors.js';
import { type EnvelopeFacts, refusal, toResponse } from './envelope.js';
import { ADMIN_PREFIX, API_PREFIX, isUnder } from './path.js';
import { type RandomBytes, requestIds } from './request-id.js';
import { HEALTH_ROUTE, type HonoContext, type Route } from './routes.js';

export interface PipelineOptions {
  readonly records: RecordService;
  readonly scheduler: FairScheduler;
  readonly admission: Admission;
  /** The operator's health view, except the database's state. */
  readonly healthFacts: () => Omit<AdminHealth, 'status' | 'database'>;
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

/** Makes the handlers of the requests whose path matches a route, or no route at all. */
export function createPipeline(options: PipelineOptions) {
  const { identity, log, clock } = options;
  const requestIdOf = requestIds(options);
  const originHeadersOf = originPolicy(options.corsAllowedOrigins);
  const admitOperator = adminGate(options.adminKey);
  const refusedKeys = new ThrottledLog(log, clock);

  // Returns no promise if the response is ready at once: a read from memory then costs a tenth less.
  return (route?: Route) => (context: HonoContext) => {
    const { env } = context;
    const { raw, path } = context.req;
    const originHeaders = originHeadersOf(raw);
    if (env?.exchange !== undefined && route !== undefined) env.exchange.route = route.path;
    if (raw.method === 'OPTIONS') return preflightResponse(originHeaders);
    const facts: EnvelopeFacts = { requestId: requestIdOf(raw), now: clock(), originHeaders };
    if (env?.exchange !== undefined) env.exchange.requestId = facts.requestId;
    if (!isUnder(API_PREFIX, path)) return toResponse(noRoute(path), facts);
    try {
      const response = thenMaybe(admit(context, route), (admitted) =>
        admitted.ok ? act(context, route, admitted.value, facts) : toResponse(admitted, facts),
      );
      if (!(response instanceof Promise)) return response;
      return response.catch((error: unknown) => errorResponse(error, facts));
    } catch (error) {
      return errorResponse(error, facts);
    }
  };

  function admit(context: HonoContext, route?: Route): MaybePromise<Outcome<string>> {
    const { raw, path } = context.req;
    if (!isUnder(ADMIN_PREFIX, path)) {
      if (route === HEALTH_ROUTE) return NO_ACCOUNT;
      return admitAccount(raw, identity, context.env?.remoteAddress);
    }
    const admitted = admitOperator(raw);
    const isRefused = !admitted.ok && admitted.failure.code === 'UNAUTHORIZED';
    if (isRefused && raw.headers.has(ADMIN_KEY_HEADER)) {
      options.onAdminKeyRefused?.();
      const remote_address = context.env?.remoteAddress?.() ?? 'unknown';
      refusedKeys.report('admin_key_refused', { remote_address });
    }
    return admitted;
  }

  function act(
    context: HonoContext,
    route: Route | undefined,
    account: string,
    facts: EnvelopeFacts,
  ): MaybePromise<Response> {
    const { path, raw } = context.req;
    if (route === undefined) return toResponse(noRoute(path), facts);
    // An own property: the client chooses the method, which may be "constructor".
    const action = Object.hasOwn(route.actions, raw.method) && route.actions[raw.method];
    if (!action) {
      const allow = Object.keys(route.actions).join(', ');
      const message = `${raw.method} is not allowed here; use ${allow}`;
      return toResponse(refusal('METHOD_NOT_ALLOWED', message, allow), facts);
    }
    const isOperator = isUnder(ADMIN_PREFIX, path);
    const isDisconnected = context.env?.isDisconnected ?? (() => raw.signal.aborted);
    const call = { context, account, isOperator, isDisconnected, service: options };
    return thenMaybe(action(call), (result) => toResponse(result, facts, call));
  }

  /** "The text goes to the log with the request id, never to the client." */
  function errorResponse(error: unknown, facts: EnvelopeFacts): Response {
    if (error instanceof FailureError) return toResponse(error, facts);
    log.error('request_failed', error, { request_id: facts.requestId });
    const message = 'internal error; the log has it under the request id';
    return toResponse(refusal('INTERNAL_ERROR', message), facts);
  }
}

const RESOURCES = [...COLLECTION_NAMES, 'payments', 'health', 'admin'].join(', ');

function noRoute(path: string) {
  const remedy = `below ${API_PREFIX} there are ${RESOURCES}, without a slash at the end or a broken escape`;
  return refusal('NOT_FOUND', `no path ${path}; ${remedy}`);
}

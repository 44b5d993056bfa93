// The steps of every request, in the contract's order: preflight, request id, prefix,
// health, authentication, resource, method, and then the action.

import { COLLECTION_NAMES } from '../domain/collection-name.js';
import { type ErrorCode, failureIn } from '../domain/errors.js';
import type { IdentityProvider } from '../identity/identity-provider.js';
import type { Log } from '../log.js';
import { ThrottledLog } from '../throttled-log.js';
import type { ActionDependencies, HonoContext } from './actions.js';
import { answerStreams } from './answer-stream.js';
import {
  ADMIN_KEY_HEADER,
  ADMITTED_ANYONE,
  type AdminKey,
  adminGate,
  admitAccount,
} from './authentication.js';
import { originPolicy, preflightResponse } from './cors.js';
import {
  type EnvelopeFacts,
  failure,
  type HandlerResult,
  refusal,
  toResponse,
} from './envelope.js';
import { ADMIN_PREFIX, API_PREFIX, isUnder } from './path.js';
import { type RandomBytes, requestIds } from './request-id.js';
import { actionOf, allowOf, HEALTH_ROUTE, type Route } from './routes.js';

export interface PipelineOptions extends ActionDependencies {
  readonly identity: IdentityProvider;
  readonly adminKey: AdminKey;
  readonly corsAllowedOrigins: readonly string[];
  /** Called for each request with a wrong admin key. */
  readonly onAdminKeyRefused?: (() => void) | undefined;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  readonly randomBytes: RandomBytes;
}

/** Handles the requests whose path matches `route`, or no route at all. */
export type Pipeline = (route?: Route) => (context: HonoContext) => Promise<Response>;

export function createPipeline(options: PipelineOptions): Pipeline {
  const { identity, admission, log, clock } = options;
  const requestIdOf = requestIds(options);
  const originHeadersOf = originPolicy(options.corsAllowedOrigins);
  const admitOperator = adminGate(options.adminKey);
  const streamed = answerStreams(options.scheduler, admission);
  const refusedKeys = new ThrottledLog(log, clock);

  return (route) => async (context) => {
    const { env } = context;
    const { raw, path } = context.req;
    const originHeaders = originHeadersOf(raw);
    if (env?.exchange !== undefined && route !== undefined) env.exchange.route = route.path;
    if (raw.method === 'OPTIONS') return preflightResponse(originHeaders);
    const facts: EnvelopeFacts = { requestId: requestIdOf(raw), now: clock(), originHeaders };
    if (env?.exchange !== undefined) env.exchange.requestId = facts.requestId;
    if (!isUnder(API_PREFIX, path)) return toResponse(noRoute(path), facts);
    try {
      const isOperators = isUnder(ADMIN_PREFIX, path);
      const admitted = isOperators
        ? admitOperator(raw)
        : route === HEALTH_ROUTE
          ? ADMITTED_ANYONE
          : await admitAccount(raw, identity, env?.remoteAddress);
      if (!admitted.ok) {
        if (isOperators) noteRefusedKey(context, admitted.failure.code);
        return toResponse(failure(admitted.failure), facts);
      }
      if (route === undefined) return toResponse(noRoute(path), facts);
      const action = actionOf(route, raw.method);
      if (action === undefined) return toResponse(noMethod(raw.method, allowOf(route)), facts);
      const principal = admitted.value;
      const isDisconnected = env?.isDisconnected ?? (() => raw.signal.aborted);
      const { collection } = route;
      const call = { context, collection, principal, isDisconnected, dependencies: options };
      const result = await action(call);
      return toResponse(result, facts, (pieces) =>
        streamed(pieces, principal.subject, isDisconnected),
      );
    } catch (error) {
      return errorResponse(error, facts);
    }
  };

  function noteRefusedKey({ req, env }: HonoContext, code: ErrorCode): void {
    if (code !== 'UNAUTHORIZED' || !req.raw.headers.has(ADMIN_KEY_HEADER)) return;
    options.onAdminKeyRefused?.();
    const remote_address = env?.remoteAddress?.() ?? 'unknown';
    refusedKeys.report('admin_key_refused', { remote_address });
  }

  /** "The text goes to the log with the request id, never to the client." */
  function errorResponse(error: unknown, facts: EnvelopeFacts): Response {
    const foreseen = failureIn(error);
    if (foreseen !== undefined) return toResponse(failure(foreseen), facts);
    log.error('request_failed', error, { request_id: facts.requestId });
    const message = 'internal error; the log has it under the request id';
    return toResponse(refusal('INTERNAL_ERROR', message), facts);
  }
}

function noMethod(method: string, allow: string): HandlerResult {
  return refusal('METHOD_NOT_ALLOWED', `${method} is not allowed here; use ${allow}`, allow);
}

function noRoute(path: string): HandlerResult {
  if (/[^/]\/+$/.test(path) && path !== `${API_PREFIX}/`) {
    return refusal('NOT_FOUND', `no path ${path}; remove the slash at its end`);
  }
  const resources = [...COLLECTION_NAMES, 'payments', 'health', 'admin'].join(', ');
  return refusal('NOT_FOUND', `no path ${path}; below ${API_PREFIX} there are ${resources}`);
}

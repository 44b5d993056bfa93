// The steps of every request, in the contract's order: preflight, request id, prefix,
// health, authentication, resource, method, and then the action.

import { COLLECTION_NAMES } from '../domain/collection-name.js';
import { type ErrorCode, failureIn } from '../domain/errors.js';
import type { IdentityProvider } from '../identity/identity-provider.js';
import type { Log } from '../log.js';
import { chain, type MaybePromise } from '../maybe-promise.js';
import { ThrottledLog } from '../throttled-log.js';
import { type Answer, failure, refusal } from './answer.js';
import { answerStreams } from './answer-stream.js';
import {
  ADMIN_KEY_HEADER,
  ADMITTED_ANYONE,
  type AdminKey,
  adminGate,
  admitAccount,
} from './authentication.js';
import type { ActionDependencies, Call, RequestContext } from './call.js';
import { originPolicy, preflightResponse } from './cors.js';
import { type EnvelopeFacts, toResponse } from './envelope.js';
import { ADMIN_PREFIX, API_PREFIX, isUnder } from './path.js';
import { bodyMaxBytes } from './request-body.js';
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

/** Answers the requests whose path matches `route`, or no route at all. */
export type Pipeline = (route?: Route) => (context: RequestContext) => MaybePromise<Response>;

export function createPipeline(options: PipelineOptions): Pipeline {
  const { identity, admission, log, clock } = options;
  const requestIdOf = requestIds(options);
  const originHeadersOf = originPolicy(options.corsAllowedOrigins);
  const admitOperator = adminGate(options.adminKey);
  const streamed = answerStreams(options.scheduler, admission);
  const refusedKeys = new ThrottledLog(log, clock);

  return (route) => (context) => {
    const request = context.req.raw;
    const originHeaders = originHeadersOf(request);
    const exchange = context.env?.exchange;
    if (exchange !== undefined && route !== undefined) exchange.route = route.path;
    if (request.method === 'OPTIONS') return preflightResponse(originHeaders);
    const facts: EnvelopeFacts = { requestId: requestIdOf(request), now: clock(), originHeaders };
    try {
      const answered = answer(context, facts, route);
      if (!(answered instanceof Promise)) return answered;
      return answered.catch((error: unknown) => apology(error, facts));
    } catch (error) {
      return apology(error, facts);
    }
  };

  function answer(
    context: RequestContext,
    facts: EnvelopeFacts,
    route: Route | undefined,
  ): MaybePromise<Response> {
    const { env } = context;
    const { raw, path } = context.req;
    if (!isUnder(API_PREFIX, path)) return toResponse(noRoute(path), facts);
    const isOperators = isUnder(ADMIN_PREFIX, path);
    const admitting = isOperators
      ? admitOperator(raw)
      : route === HEALTH_ROUTE
        ? ADMITTED_ANYONE
        : admitAccount(raw, identity, env?.remoteAddress);
    return chain(admitting, (admitted) => {
      if (!admitted.ok) {
        if (isOperators) noteRefusedKey(context, admitted.failure.code);
        return toResponse(failure(admitted.failure), facts);
      }
      if (route === undefined) return toResponse(noRoute(path), facts);
      const { method } = raw;
      const action = actionOf(route, method);
      if (action === undefined) return toResponse(methodNotAllowed(method, allowOf(route)), facts);
      const { collection } = route;
      const principal = admitted.value;
      const { subject } = principal;
      const isDisconnected = env?.isDisconnected ?? (() => raw.signal.aborted);
      const call: Call = { context, collection, principal, isDisconnected, dependencies: options };
      const bodyBytes = method === 'POST' || method === 'PATCH' ? bodyMaxBytes(raw) : 0;
      return admission.run(subject, bodyBytes, isDisconnected, () =>
        chain(action(call), (answered) =>
          toResponse(answered, facts, (pieces) => streamed(pieces, subject, isDisconnected)),
        ),
      );
    });
  }

  function noteRefusedKey({ req, env }: RequestContext, code: ErrorCode): void {
    if (code !== 'UNAUTHORIZED' || !req.raw.headers.has(ADMIN_KEY_HEADER)) return;
    options.onAdminKeyRefused?.();
    const remote_address = env?.remoteAddress?.() ?? 'unknown';
    refusedKeys.report('admin_key_refused', { remote_address });
  }

  /** "The text goes to the log with the request id, never to the client." */
  function apology(error: unknown, facts: EnvelopeFacts): Response {
    const foreseen = failureIn(error);
    if (foreseen !== undefined) return toResponse(failure(foreseen), facts);
    log.error('request_failed', error, { request_id: facts.requestId });
    const message = 'internal error; the log has it under the request id';
    return toResponse(refusal('INTERNAL_ERROR', message), facts);
  }
}

function methodNotAllowed(method: string, allow: string): Answer {
  return refusal('METHOD_NOT_ALLOWED', `${method} is not allowed here; use ${allow}`, allow);
}

function noRoute(path: string): Answer {
  if (/[^/]\/+$/.test(path) && path !== `${API_PREFIX}/`) {
    return refusal('NOT_FOUND', `no path ${path}; remove the slash at its end`);
  }
  const resources = [...COLLECTION_NAMES, 'payments', 'health', 'admin'].join(', ');
  return refusal('NOT_FOUND', `no path ${path}; below ${API_PREFIX} there are ${resources}`);
}

// The way of every request, in the contract's order: preflight, request id,
// prefix, health, authentication, resource, method, and then the action.

import { COLLECTION_NAMES } from '../domain/collection-name.js';
import { type Outcome, succeeded } from '../domain/errors.js';
import type { IdentityProvider } from '../identity/identity-provider.js';
import type { Log } from '../log.js';
import { type Answer, failure, refusal } from './answer.js';
import { accountOf, adminGate } from './authentication.js';
import { Call, type Principal, type RequestContext, type Surroundings } from './call.js';
import { originPolicy, preflightResponse } from './cors.js';
import { type EnvelopeFacts, respond } from './envelope.js';
import { ADMIN_PREFIX, API_PREFIX, isUnder } from './path.js';
import { type RandomBytes, requestIds } from './request-id.js';
import { actionOf, allowOf, HEALTH_ROUTE, type Route } from './routes.js';

export interface PipelineOptions extends Surroundings {
  readonly identity: IdentityProvider;
  readonly adminKey: string | undefined;
  readonly corsAllowedOrigins: readonly string[];
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  readonly randomBytes: RandomBytes;
}

/** Answers a request whose path matches `route`, or no route at all. */
export type Pipeline = (context: RequestContext, route?: Route) => Promise<Response>;

export function createPipeline(options: PipelineOptions): Pipeline {
  const { identity, log, clock } = options;
  const requestIdOf = requestIds(options);
  const originHeadersOf = originPolicy(options.corsAllowedOrigins);
  const admitOperator = adminGate(options.adminKey);

  return async (context, route) => {
    const request = context.req.raw;
    const originHeaders = originHeadersOf(request);
    if (request.method === 'OPTIONS') return preflightResponse(originHeaders);
    const exchange: EnvelopeFacts = {
      requestId: requestIdOf(request),
      now: clock(),
      originHeaders,
    };
    try {
      return respond(await answer(context, route), exchange);
    } catch (error) {
      // The text goes to the log with the request id, never to the client.
      log.error('request_failed', error, { request_id: exchange.requestId });
      const apology = 'something unforeseen went wrong; the log has it under the request id';
      return respond(refusal('INTERNAL_ERROR', apology), exchange);
    }
  };

  async function answer(context: RequestContext, route: Route | undefined): Promise<Answer> {
    const { path } = context.req;
    if (!isUnder(API_PREFIX, path)) return noRoute(path);
    if (route === HEALTH_ROUTE) return perform(context, route, { kind: 'anyone' });
    const admitted = await admit(context.req.raw, path);
    if (!admitted.ok) return failure(admitted.failure);
    if (route === undefined) return noRoute(path);
    return perform(context, route, admitted.value);
  }

  async function admit(request: Request, path: string): Promise<Outcome<Principal>> {
    if (isUnder(ADMIN_PREFIX, path)) {
      const admitted = admitOperator(request);
      return admitted.ok ? succeeded({ kind: 'operator', actor: admitted.value }) : admitted;
    }
    const account = await accountOf(request, identity);
    return account.ok ? succeeded({ kind: 'account', subject: account.value }) : account;
  }

  async function perform(
    context: RequestContext,
    route: Route,
    principal: Principal,
  ): Promise<Answer> {
    const { method } = context.req.raw;
    const action = actionOf(route, method);
    if (action === undefined) return methodNotAllowed(method, allowOf(route));
    return action(new Call(context, route.collection, principal, options));
  }
}

function methodNotAllowed(method: string, allow: string): Answer {
  return refusal('METHOD_NOT_ALLOWED', `${method} is not possible here; use ${allow}`, allow);
}

function noRoute(path: string): Answer {
  const resources = [...COLLECTION_NAMES, 'payments', 'health', 'admin'].join(', ');
  return refusal('NOT_FOUND', `no path ${path}; below ${API_PREFIX} there are ${resources}`);
}

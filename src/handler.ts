// The core bundle: the whole API as one Web-standard handler, for any host.

import { Hono } from 'hono';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { Admission, type AdmissionLimits } from './core/admission/admission.js';
import { FairScheduler } from './core/admission/fair-scheduler.js';
import { usableKeys } from './core/http/authentication.js';
import type { HostBindings } from './core/http/host-bindings.js';
import { canonicalPath } from './core/http/path.js';
import { createPipeline } from './core/http/pipeline.js';
import type { RandomBytes } from './core/http/request-id.js';
import { ROUTES } from './core/http/routes.js';
import { type IdentityProvider, noIdentityProvider } from './core/identity/identity-provider.js';
import { type Log, silentLog } from './core/log.js';
import type { MaybePromise } from './core/maybe-promise.js';
import type { RecordService } from './core/records/record-service.js';

export interface HandlerDependencies {
  readonly records: RecordService;
  /** Default: none; every bearer token gets 503 `AUTH_UNAVAILABLE`. */
  readonly identity?: IdentityProvider | undefined;
  /**
   * At least 32 characters; otherwise the administration API returns 503 `ADMIN_DISABLED`.
   * Two during a rotation: both are accepted.
   */
  readonly adminKey?: string | readonly string[] | undefined;
  /** Called for each request with a wrong admin key, so that a host can count them. */
  readonly onAdminKeyRefused?: (() => void) | undefined;
  /** Origins that browsers may call from. Any by default, or if it contains `*`. */
  readonly corsAllowedOrigins?: readonly string[];
  readonly log?: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock?: () => number;
  /** Shares the thread among the accounts. Pass the one that the records use. */
  readonly scheduler?: FairScheduler;
  /**
   * Limits on the bodies and long responses in progress, in bytes. Default: 16 MiB per account,
   * 64 MiB in total.
   */
  readonly admission?: Partial<AdmissionLimits>;
  readonly randomBytes?: RandomBytes;
}

/** The service. Always resolves with a response; never rejects. */
export type Handler = (request: Request, host?: HostBindings) => Promise<Response>;

/** Like a `Handler`, but may return a response without a promise, for hosts that can send it at once. */
export type FetchHandler = (request: Request, host?: HostBindings) => MaybePromise<Response>;

export function createHandler(dependencies: HandlerDependencies): Handler {
  const respond = buildHandler(dependencies);
  return async (request, host) => respond(request, host);
}

export function buildHandler(dependencies: HandlerDependencies): FetchHandler {
  const {
    identity = noIdentityProvider,
    corsAllowedOrigins = [],
    log = silentLog,
    clock = Date.now,
    scheduler = new FairScheduler(),
    randomBytes = (into) => crypto.getRandomValues(into),
  } = dependencies;
  const startedAt = clock();
  const handlerOf = createPipeline({
    ...dependencies,
    ...{ identity, corsAllowedOrigins, log, clock, scheduler, randomBytes },
    admission: new Admission(dependencies.admission),
    processHealth: () => ({
      uptime_seconds: Math.floor((clock() - startedAt) / 1000),
      identity_provider_configured: dependencies.identity !== undefined,
      admin_configured: usableKeys(dependencies.adminKey).length > 0,
    }),
  });
  const app = new Hono<{ Bindings: HostBindings }>({
    getPath: canonicalPath,
    // Chosen here, not by Hono: a route table that this router can't take then fails at
    // startup, and a method named "constructor" finds no inherited property.
    router: new RegExpRouter(),
  });
  // Every method: the contract checks authentication before the method.
  for (const route of ROUTES) app.all(route.path, handlerOf(route));
  app.notFound(handlerOf());
  return (request, host) => app.fetch(request, host);
}

export { FairScheduler } from './core/admission/fair-scheduler.js';
export { FailureError, type Outcome } from './core/domain/errors.js';
export type { Identity } from './core/identity/identity-provider.js';
export type * from './core/identity/sign-in.js';
export { openSignIn } from './core/identity/sign-in.js';
export type * from './core/records/memory-store.js';
export { openRecords } from './core/records/memory-store.js';
export type * from './core/records/record-service.js';
export type * from './core/records/record-storage.js';
export { sampleRows } from './core/records/sample-rows.js';
export type { HostBindings, IdentityProvider, Log };

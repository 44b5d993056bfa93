// The service as a host that has settings runs it: one function for all hosts,
// and every field required, so that a host that forgets a part does not compile.

import type { AdmissionLimits } from '../core/admission/admission.js';
import type { FairScheduler } from '../core/admission/fair-scheduler.js';
import type { RandomBytes } from '../core/http/request-id.js';
import { openSignIn, type SignIn, type SignInOptions } from '../core/identity/sign-in.js';
import type { Log } from '../core/log.js';
import type { RecordService } from '../core/records/record-service.js';
import { buildHandler, type FetchHandler, type HandlerDependencies } from '../handler.js';
import type { Settings } from './settings.js';

/** The parts of a host; undefined if the platform has nothing better than the handler's default. */
export interface HostParts {
  readonly settings: Settings;
  readonly records: RecordService;
  readonly log: Log;
  readonly scheduler: FairScheduler;
  readonly admission: AdmissionLimits | undefined;
  readonly randomBytes: RandomBytes | undefined;
  /** Whether one request may wait for another: for an identical check under way, or for a place among the checks. */
  readonly mayWait: boolean;
  /** Hashes a token, as the key under which a check is remembered. */
  readonly digest: (token: string) => string | Promise<string>;
  /** Called for every check of a token; undefined when nothing is measured. */
  readonly events: SignInOptions['events'];
  /** Called for each request with a wrong admin key; undefined when nothing is measured. */
  readonly onAdminKeyRefused: (() => void) | undefined;
}

/** `signIn` is undefined if no provider is configured. */
export function responderFor(parts: HostParts): {
  readonly respond: FetchHandler;
  readonly signIn: SignIn | undefined;
} {
  const signIn = signInOf(parts);
  return { respond: buildHandler(dependenciesOf(parts, signIn)), signIn };
}

/** The same for `createHandler`, of a handler that was built elsewhere: the tests use the built one. */
export function handlerDependencies(parts: HostParts): HandlerDependencies {
  return dependenciesOf(parts, signInOf(parts));
}

function dependenciesOf(parts: HostParts, signIn: SignIn | undefined): HandlerDependencies {
  const { settings, records, log, scheduler, admission, randomBytes, onAdminKeyRefused } = parts;
  return {
    records,
    ...(signIn && { identity: signIn.identity }),
    adminKey: settings.adminKey,
    corsAllowedOrigins: settings.corsAllowedOrigins,
    ...(onAdminKeyRefused && { onAdminKeyRefused }),
    log,
    scheduler,
    ...(admission && { admission }),
    ...(randomBytes && { randomBytes }),
  };
}

function signInOf(parts: HostParts): SignIn | undefined {
  const { settings, log, mayWait, digest, events } = parts;
  if (settings.signIn === undefined) return undefined;
  return openSignIn({
    settings: settings.signIn,
    log,
    joined: mayWait,
    digest,
    events,
  });
}

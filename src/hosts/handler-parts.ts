// The service as a host that has settings runs it: one function for all hosts, and every part
// required, so that a host that forgets one does not compile.

import { openSignIn } from '../core/identity/sign-in.js';
import type { Log } from '../core/log.js';
import type { ServiceEvents } from '../core/service-events.js';
import type { HandlerDependencies } from '../handler.js';
import type { Settings } from './settings.js';

/** Undefined where the platform has nothing better than the handler's default. */
export interface HostParts
  extends Required<Pick<HandlerDependencies, 'records' | 'scheduler' | 'onAdminKeyRefused'>> {
  readonly settings: Settings;
  readonly log: Log;
  readonly admission: HandlerDependencies['admission'] | undefined;
  readonly randomBytes: HandlerDependencies['randomBytes'] | undefined;
  /** Whether one request may wait for another: for an identical check under way, or for a place among the checks. */
  readonly mayWait: boolean;
  /** Hashes a token, as the key under which a check is remembered. */
  readonly digest: (token: string) => string | Promise<string>;
  /** Called for every check of a token; undefined if nothing is measured. */
  readonly events: Pick<ServiceEvents, 'identityChecked' | 'identityShared'> | undefined;
}

/** `signIn` is undefined if no provider is configured. */
export function handlerParts(parts: HostParts) {
  const { settings, mayWait, digest, events, admission, randomBytes, ...others } = parts;
  const { adminKey, corsAllowedOrigins } = settings;
  const { log } = others;
  const signIn =
    settings.signIn &&
    openSignIn({ settings: settings.signIn, log, joined: mayWait, digest, events });
  const dependencies: HandlerDependencies = {
    ...others,
    adminKey,
    corsAllowedOrigins,
    ...(signIn && { identity: signIn.identity }),
    ...(admission && { admission }),
    ...(randomBytes && { randomBytes }),
  };
  return { dependencies, signIn };
}

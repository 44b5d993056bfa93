// The service as a host that has settings runs it: one function for all hosts,
// and every field required, so that a host that forgets a part does not compile.

import {
  type AllowanceLimits,
  boundedChecks,
  createResponder,
  type Responder,
  sharedChecks,
  userinfoIdentity,
} from './handler.js';
import type { RandomBytes } from './http/request-id.js';
import type { IdentityProvider } from './identity/identity-provider.js';
import type { Log } from './log.js';
import type { RecordStore } from './records/record-store.js';
import type { Settings } from './settings.js';
import type { Turns } from './turns.js';

/** The parts of a host; undefined where its platform has nothing better than the handler's default. */
export interface HostParts {
  readonly settings: Settings;
  readonly records: RecordStore;
  readonly log: Log;
  readonly turns: Turns;
  readonly allowance: AllowanceLimits | undefined;
  readonly randomBytes: RandomBytes | undefined;
  /** Whether one request may wait for another: for an identical check under way, or for a place among the checks. */
  readonly mayWait: boolean;
  /** Hashes a token, as the key under which a check is remembered. */
  readonly digest: (token: string) => string | Promise<string>;
}

export function responderFor(parts: HostParts): Responder {
  const { settings, records, log, turns, allowance, randomBytes } = parts;
  const identity = identityOf(parts);
  return createResponder({
    records,
    ...(identity && { identity }),
    adminKey: settings.adminKey,
    corsAllowedOrigins: settings.corsAllowedOrigins,
    log,
    turns,
    ...(allowance && { allowance }),
    ...(randomBytes && { randomBytes }),
  });
}

function identityOf({
  settings: { userinfo, authCacheSeconds: cacheSeconds },
  log,
  mayWait,
  digest,
}: HostParts): IdentityProvider | undefined {
  if (userinfo === undefined) return undefined;
  const provider = userinfoIdentity({ ...userinfo, log });
  const bounded = boundedChecks(provider, { digest, waits: mayWait });
  return sharedChecks(bounded, { cacheSeconds, joined: mayWait, digest });
}

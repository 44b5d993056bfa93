// The service as a host that has settings runs it: one function for all hosts,
// and every field required, so that a host that forgets a part does not compile.

import { createResponder, type Responder, sharedChecks, userinfoIdentity } from './handler.js';
import type { RandomBytes } from './http/request-id.js';
import type { IdentityProvider } from './identity/identity-provider.js';
import type { Log } from './log.js';
import type { RecordStore } from './records/record-store.js';
import type { Pause } from './records/turns.js';
import type { Settings } from './settings.js';

/** What a host brings; undefined where its platform has nothing better than the handler's default. */
export interface HostParts {
  readonly settings: Settings;
  readonly records: RecordStore;
  readonly log: Log;
  readonly pause: Pause | undefined;
  readonly randomBytes: RandomBytes | undefined;
  /** Whether identical checks in flight share one question to the provider. */
  readonly joinsChecks: boolean;
  /** Hashes a token, as the key under which a check is remembered. */
  readonly digest: ((token: string) => string) | undefined;
}

export function responderFor(parts: HostParts): Responder {
  const { settings, records, log, pause, randomBytes } = parts;
  const identity = identityOf(parts);
  return createResponder({
    records,
    ...(identity && { identity }),
    adminKey: settings.adminKey,
    corsAllowedOrigins: settings.corsAllowedOrigins,
    log,
    ...(pause && { pause }),
    ...(randomBytes && { randomBytes }),
  });
}

function identityOf({
  settings: { userinfo, authCacheSeconds: cacheSeconds },
  log,
  joinsChecks: joined,
  digest,
}: HostParts): IdentityProvider | undefined {
  if (userinfo === undefined) return undefined;
  const provider = userinfoIdentity({ ...userinfo, log });
  return sharedChecks(provider, { cacheSeconds, joined, ...(digest && { digest }) });
}

// Reports each question to the provider. `cached-checks.ts` reports the checks that needed none.

import type { Identity, IdentityProvider } from './identity-provider.js';

export interface IdentityEvents {
  /** The provider was asked; the time is in milliseconds. */
  identityChecked(outcome: Identity['status'], milliseconds: number): void;
  /** A check was answered by one that was under way, or by an earlier one. */
  identityShared(how: 'joined' | 'remembered'): void;
}

/** The same provider; `events` hears the outcome and the time of each question. */
export function meteredExchange(
  provider: IdentityProvider,
  events: IdentityEvents | undefined,
  stopwatch: () => number = () => performance.now(),
): IdentityProvider {
  if (events === undefined) return provider;
  return {
    async identify(token, from) {
      const startedAt = stopwatch();
      const identity = await provider.identify(token, from);
      events.identityChecked(identity.status, stopwatch() - startedAt);
      return identity;
    },
  };
}

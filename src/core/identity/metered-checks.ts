// Reports each question to the provider, and each check that needed none.

import type { Identity, IdentityProvider } from './identity-provider.js';

export interface IdentityEvents {
  /** The provider was asked; the time is in milliseconds. */
  identityChecked(outcome: Identity['status'], milliseconds: number): void;
  /** A check was answered by one that was under way, or by an earlier one. */
  identityShared(how: 'joined' | 'remembered'): void;
}

/** The same provider; `events` hears the outcome and the time of each question. */
export function watchedExchange(
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

/**
 * The provider with shared checks around it; `events` hears of each check that
 * did not reach the provider. The token's digest must be there at once: with
 * one that is a promise, a remembered check looks like a joined one.
 */
export function watchedSharing(
  provider: IdentityProvider,
  share: (provider: IdentityProvider) => IdentityProvider,
  events: IdentityEvents | undefined,
): IdentityProvider {
  if (events === undefined) return share(provider);
  let asked = 0;
  const shared = share({
    identify(token, from) {
      asked++;
      return provider.identify(token, from);
    },
  });
  return {
    identify(token, from) {
      const before = asked;
      const answer = shared.identify(token, from);
      if (!(answer instanceof Promise)) events.identityShared('remembered');
      else if (asked === before) events.identityShared('joined');
      return answer;
    },
  };
}

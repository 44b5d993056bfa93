// A provider of identities whose answers the test gives, for the tests of shared
// and of remembered checks.

import type { Identity, IdentityProvider } from '../../src/core/identity/identity-provider.js';

export const INVALID: Identity = { status: 'invalid' };
export const UNAVAILABLE: Identity = { status: 'unavailable' };

export function identified(subject: string): Identity {
  return { status: 'identified', subject };
}

/** A provider that answers one question at a time, when the test says so. */
export class HeldProvider implements IdentityProvider {
  readonly asked: string[] = [];
  readonly #held: { resolve(identity: Identity): void; reject(error: Error): void }[] = [];

  identify(token: string): Promise<Identity> {
    this.asked.push(token);
    return new Promise((resolve, reject) => this.#held.push({ resolve, reject }));
  }

  /** Answers the oldest open question. */
  answer(identity: Identity): void {
    this.#held.shift()?.resolve(identity);
  }

  fail(error: Error): void {
    this.#held.shift()?.reject(error);
  }
}

/** A provider that answers every question at once, all the same way. */
export function promptly(answers: (token: string) => Identity) {
  const asked: string[] = [];
  const provider: IdentityProvider = {
    async identify(token) {
      asked.push(token);
      return answers(token);
    },
  };
  return { asked, provider };
}

// The request to the identity provider at the start. The service does not wait for the answer; the
// log has it. An unavailable provider is asked again until it answers: only then is it known whether
// the settings fit it.

import type { ProviderFinding } from '../../core/identity/probe.js';
import type { SignIn } from '../../core/identity/sign-in.js';
import type { Log } from '../../core/log.js';

const ASK_AGAIN_MS = 10_000;

export class ProviderProbe {
  /** Undefined before the answer, and without a provider. */
  finding: ProviderFinding | undefined;
  readonly #log: Log;
  readonly #stopped = new AbortController();

  /** Asks at once. `signIn` is undefined if no provider is configured. */
  constructor(signIn: Pick<SignIn, 'probe'> | undefined, log: Log) {
    this.#log = log;
    if (signIn !== undefined) void this.#ask(signIn);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #ask(signIn: Pick<SignIn, 'probe'>): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      // The question never rejects.
      const finding = await signIn.probe(signal);
      if (signal.aborted) return;
      const { ok, found, remedy, away } = finding;
      const wasAway = this.finding?.away === true;
      this.finding = finding;
      if (ok) this.#log.info('identity_provider_asked', { found });
      else if (!away) this.#log.warn('identity_provider_unfit', { found, remedy });
      else if (!wasAway) {
        this.#log.warn('identity_provider_unavailable', { reason: found, remedy });
      }
      if (!away) return;
      await new Promise((again) => void setTimeout(again, ASK_AGAIN_MS).unref());
    }
  }
}

// The request to the identity provider at the start. The service does not wait for the answer; the
// log has it. An unavailable provider is asked again until it answers: only then is it known whether
// the settings fit it.

import { setTimeout as pause } from 'node:timers/promises';
import type { ProviderFinding } from '../../core/identity/probe.js';
import type { SignIn } from '../../core/identity/sign-in.js';
import type { Log } from '../../core/log.js';

const ASK_AGAIN_MS = 10_000;

export interface ProviderProbeOptions {
  /** Undefined: no provider is configured, and nothing is asked. */
  readonly signIn: Pick<SignIn, 'probe'> | undefined;
  readonly log: Log;
  /** Resolves after this many milliseconds; rejects when the signal ends. Default: by the clock. */
  readonly after?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

export class ProviderProbe {
  /** Undefined before the answer. */
  finding: ProviderFinding | undefined;
  readonly #options: ProviderProbeOptions;
  readonly #stopped = new AbortController();

  /** Asks at once. */
  constructor(options: ProviderProbeOptions) {
    this.#options = options;
    // The pause rejects if the service stops.
    if (options.signIn !== undefined) void this.#ask(options.signIn).catch(() => {});
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #ask(signIn: Pick<SignIn, 'probe'>): Promise<void> {
    const { signal } = this.#stopped;
    const { after = (ms: number) => pause(ms, undefined, { signal, ref: false }) } = this.#options;
    for (;;) {
      // The question never rejects.
      const finding = await signIn.probe(signal);
      if (signal.aborted) return;
      this.#keep(finding);
      if (!finding.away) return;
      await after(ASK_AGAIN_MS, signal);
    }
  }

  #keep(finding: ProviderFinding): void {
    const wasAway = this.finding?.away === true;
    this.finding = finding;
    const { log } = this.#options;
    const { ok, found, remedy, away } = finding;
    if (ok) log.info('identity_provider_asked', { found });
    else if (!away) log.warn('identity_provider_unfit', { found, remedy });
    else if (!wasAway) log.warn('identity_provider_unavailable', { reason: found, remedy });
  }
}

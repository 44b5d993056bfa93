// The question to the identity provider at the start. The service does not wait for the
// answer; the log has it.

import type { ProviderFinding, SignIn } from '../handler.js';
import type { Log } from '../log.js';

export class ProviderProbe {
  /** Undefined before the answer. */
  finding: ProviderFinding | undefined;
  readonly #stopped = new AbortController();

  /** Asks at once if a provider is configured. */
  constructor(signIn: SignIn | undefined, log: Log) {
    // The question never rejects.
    void signIn?.probe(this.#stopped.signal).then((finding) => {
      if (!this.#stopped.signal.aborted) this.#keep(finding, log);
    });
  }

  stop(): void {
    this.#stopped.abort();
  }

  #keep(finding: ProviderFinding, log: Log): void {
    this.finding = finding;
    const { ok, found, remedy } = finding;
    if (ok) log.info('identity_provider_asked', { found });
    else log.warn('identity_provider_unfit', { found, remedy });
  }
}

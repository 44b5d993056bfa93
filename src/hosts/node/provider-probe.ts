// Asks the identity provider at the start whether it refuses a made-up token. The service does not
// wait for the answer; the log has it. An unavailable provider is asked again until it answers, which
// shows whether the settings fit it.

import type { ProviderFinding } from '../../core/identity/probe.js';
import type { SignIn } from '../../core/identity/sign-in.js';
import type { Log } from '../../core/log.js';

const ASK_AGAIN_MS = 10_000;

export interface ProviderProbe {
  /** Undefined before the answer, and without a provider. */
  finding?: ProviderFinding;
}

/** Asks at once, and until the signal ends. `signIn` is undefined if no provider is configured. */
export function probeProvider(
  signIn: Pick<SignIn, 'probe'> | undefined,
  log: Log,
  signal: AbortSignal,
): ProviderProbe {
  const probe: ProviderProbe = {};
  const ask = async () => {
    // The question never rejects.
    const finding = signal.aborted ? undefined : await signIn?.probe(signal);
    if (finding === undefined || signal.aborted) return;
    const { ok, found, remedy, away } = finding;
    const wasAway = probe.finding?.away === true;
    probe.finding = finding;
    if (ok) log.info('identity_provider_asked', { found });
    else if (!away) log.warn('identity_provider_unfit', { found, remedy });
    else if (!wasAway) log.warn('identity_provider_unavailable', { reason: found, remedy });
    if (away) setTimeout(ask, ASK_AGAIN_MS).unref();
  };
  void ask();
  return probe;
}

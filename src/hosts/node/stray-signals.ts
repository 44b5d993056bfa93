// Signals that an operator sends by mistake. SIGUSR1, one digit from the
// backup's SIGUSR2, makes Node open a debugger without a password; SIGHUP ends
// a process without draining, and systemd takes that for a clean end.

import type { Log } from '../../core/log.js';

const HINTS = {
  SIGUSR1: 'nothing was done; SIGUSR2 takes a backup',
  SIGHUP: 'ignored; settings are read at the start only, and SIGTERM stops the service',
} as const;

/** From here on each of these signals writes one line to the log and does nothing else. */
export function ignoreStraySignals(log: Log, signals: readonly (keyof typeof HINTS)[]): void {
  for (const signal of signals) {
    process.on(signal, () => log.warn('signal_ignored', { signal, hint: HINTS[signal] }));
  }
}

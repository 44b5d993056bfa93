// Waits for a service that is busy or unavailable: growing waits with an end.

import { type CommandDependencies, pause, type Waits } from '../program/command-dependencies.js';
import { Interrupted } from '../program/ending.js';
import { CommandError } from './failures.js';

/** If a proxy asks for a longer wait, the command does not follow it. */
const RETRY_AFTER_MAX_MS = 300_000;

export const WAITS: Waits = {
  firstMs: 1_000,
  maxMs: 30_000,
  patienceMs: 600_000,
  timeoutMs: 30_000,
  onItsWayMs: 2_000,
};

/** A failure that may pass. `retryAfterMs`: the wait that the answer asked for. */
export type Passing = Error & { readonly retryAfterMs: number | undefined };

export interface Waiting<Failure extends Passing> {
  /** Rejects with a `CommandError` when the waits have not helped for too long. */
  wait(error: Failure): Promise<void>;
}

type WaitingDependencies = Pick<CommandDependencies, 'interrupted' | 'now' | 'err'>;

/** Growing waits; where the failed answer asked for one, that. */
export function startWaiting<Failure extends Passing>(
  { interrupted, now, err }: WaitingDependencies,
  { firstMs, maxMs, patienceMs }: Waits,
  sentenceOf: (error: Failure) => string,
): Waiting<Failure> {
  const begun = now();
  let next = firstMs;
  return {
    async wait(error) {
      if (now() - begun > patienceMs) {
        throw new CommandError(
          `the service has not recovered for ${Math.round(patienceMs / 60_000)} minutes: ${sentenceOf(error)}`,
          { cause: error },
        );
      }
      const milliseconds = Math.min(error.retryAfterMs ?? next, RETRY_AFTER_MAX_MS);
      next = Math.min(2 * next, maxMs);
      err(
        `${sentenceOf(error)}\nwaiting ${(milliseconds / 1000).toFixed(1)} s before the next try\n`,
      );
      await pause(milliseconds, interrupted);
    },
  };
}

/** Repeats a call until it succeeds, fails for good, or nothing has answered for minutes. The call must be safe to repeat. */
export async function patiently<T, Failure extends Passing>(
  call: () => Promise<T>,
  waiting: Waiting<Failure>,
  isPassing: (error: unknown) => error is Failure,
  { interrupted }: Pick<CommandDependencies, 'interrupted'>,
): Promise<T> {
  for (;;) {
    expectGoingOn(interrupted);
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await waiting.wait(error);
    }
  }
}

/** Throws after Ctrl-C. */
export function expectGoingOn(interrupted: AbortSignal): void {
  if (interrupted.aborted) throw new Interrupted('stopped');
}

// Waits for a service that is busy or unavailable: growing waits with an end.

import type { ApiError } from '../../operator-client.js';
import { type CommandDependencies, pause, type Waits } from '../program/command-dependencies.js';
import { Interrupted } from '../program/ending.js';
import { CommandError, isPassing, sentenceOf } from './failures.js';

/** If a proxy asks for a longer wait, the command does not follow it. */
const RETRY_AFTER_MAX_MS = 300_000;

export const WAITS: Waits = {
  firstMs: 1_000,
  maxMs: 30_000,
  patienceMs: 600_000,
  timeoutMs: 30_000,
  onItsWayMs: 2_000,
};

/** Rejects with a `CommandError` when the waits have not helped for too long. */
export type Wait = (error: ApiError) => Promise<void>;

type WaitingDependencies = Pick<CommandDependencies, 'interrupted' | 'now' | 'err'>;

/** Growing waits; if the failed answer asked for one, that. */
export function startWaiting(
  { interrupted, now, err }: WaitingDependencies,
  { firstMs, maxMs, patienceMs }: Waits,
): Wait {
  const begun = now();
  let next = firstMs;
  return async (error) => {
    const sentence = sentenceOf(error);
    if (now() - begun > patienceMs) {
      const minutes = Math.round(patienceMs / 60_000);
      throw new CommandError(`the service has not recovered for ${minutes} minutes: ${sentence}`, {
        cause: error,
      });
    }
    const milliseconds = Math.min(error.retryAfterMs ?? next, RETRY_AFTER_MAX_MS);
    next = Math.min(2 * next, maxMs);
    err(`${sentence}\nwaiting ${(milliseconds / 1000).toFixed(1)} s before the next try\n`);
    await pause(milliseconds, interrupted);
  };
}

/** Repeats a call until it succeeds, fails for good, or nothing has answered for minutes. The call must be safe to repeat. */
export async function patiently<T>(
  call: () => Promise<T>,
  dependencies: WaitingDependencies,
  waits: Waits,
  mayPass: (error: unknown) => error is ApiError = isPassing,
): Promise<T> {
  const wait = startWaiting(dependencies, waits);
  for (;;) {
    expectGoingOn(dependencies.interrupted);
    try {
      return await call();
    } catch (error) {
      if (!mayPass(error)) throw error;
      await wait(error);
    }
  }
}

/** Throws after Ctrl-C. */
export function expectGoingOn(interrupted: AbortSignal): void {
  if (interrupted.aborted) throw new Interrupted('stopped');
}

// Waits for a service that is busy or away: the waits grow, and have an end.

import { type CommandDependencies, pause } from '../program/command-dependencies.js';
import { CommandError } from './failures.js';

const FIRST_WAIT_MS = 1_000;
const WAIT_MAX_MS = 30_000;
/** A command gives up after this time without an answer. */
const PATIENCE_MS = 10 * 60_000;
const REQUEST_TIMEOUT_MS = 30_000;
const WRITE_ON_ITS_WAY_MS = 2_000;
/** If a proxy asks for a longer wait, the command does not follow it. */
const RETRY_AFTER_MAX_MS = 300_000;

export interface Waits {
  readonly firstMs: number;
  readonly maxMs: number;
  readonly patienceMs: number;
  /** The time-out of one request. */
  readonly timeoutMs: number;
  /** How long a write without an answer may still be on its way, once the service answers again. */
  readonly onItsWayMs: number;
}

export const WAITS: Waits = {
  firstMs: FIRST_WAIT_MS,
  maxMs: WAIT_MAX_MS,
  patienceMs: PATIENCE_MS,
  timeoutMs: REQUEST_TIMEOUT_MS,
  onItsWayMs: WRITE_ON_ITS_WAY_MS,
};

export interface Waiting<Failure extends Error> {
  /** Rejects with a `CommandError` when the waits have not helped for too long. */
  wait(error: Failure): Promise<void>;
}

/** `askedMs`: the wait that the last 429 or 503 asked for; it counts once. */
export function startWaiting<Failure extends Error>(
  { interrupted, now, err }: Pick<CommandDependencies, 'interrupted' | 'now' | 'err'>,
  { firstMs, maxMs, patienceMs }: Waits,
  sentenceOf: (error: Failure) => string,
  askedMs: () => number | undefined,
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
      const milliseconds = askedMs() ?? next;
      next = Math.min(2 * next, maxMs);
      err(`${sentenceOf(error)}\nwaiting ${(milliseconds / 1000).toFixed(1)} s before going on\n`);
      await pause(milliseconds, interrupted);
    },
  };
}

/** RFC 9110: a number of seconds, or a date. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const asked = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), RETRY_AFTER_MAX_MS);
}

// How a call ends before its answer: its time is over, or the caller's signal says
// so. AbortController and `addEventListener` alone: React Native and older browsers
// have neither AbortSignal.timeout nor AbortSignal.any nor a signal's reason.

import { ApiError } from './api-error.js';

/** A timer that is set for longer fires at once. */
const TIMER_MAX_MS = 2_147_483_647;

export interface Ending {
  /** For `fetch`, which may ignore it. */
  readonly signal: AbortSignal;
  /** With what the call ended; undefined while it goes on. */
  readonly error: Error | undefined;
  /** The promise's outcome, or the error of an end that comes first. */
  race<T>(promise: Promise<T>): Promise<T>;
  /** The call is over: lets go of timer and signal. */
  done(): void;
}

/** `call`: what the messages name, such as `GET https://…/orders`. */
export function startEnding(
  call: string,
  timeoutMs: number,
  ended: AbortSignal | undefined,
): Ending {
  const controller = new AbortController();
  let error: Error | undefined;
  let reject: (error: Error) => void = () => {};
  const ending = new Promise<never>((_resolve, reject_) => {
    reject = reject_;
  });
  // Nobody may be waiting when it ends.
  ending.catch(() => {});
  const end = (reason: Error) => {
    if (error !== undefined) return;
    error = reason;
    reject(reason);
    controller.abort();
  };
  const timer = setTimeout(
    () => end(new ApiError('TIMED_OUT', `${call} got no answer within ${timeoutMs} ms`)),
    Math.min(timeoutMs, TIMER_MAX_MS),
  );
  const onAbort = () => end(abortedBy(ended, call));
  if (ended?.aborted) onAbort();
  else ended?.addEventListener('abort', onAbort);
  return {
    signal: controller.signal,
    get error() {
      return error;
    },
    race: (promise) => Promise.race([ending, promise]),
    done() {
      clearTimeout(timer);
      ended?.removeEventListener('abort', onAbort);
    },
  };
}

export function abortedBy(signal: AbortSignal | undefined, call: string): Error {
  const cause: unknown = signal?.reason;
  return new ApiError('ABORTED', `${call} was ended by its signal`, { cause });
}

// How a call ends before its answer: by its timeout or the caller's signal. AbortController
// and `addEventListener` only: React Native and older browsers have neither
// AbortSignal.timeout nor AbortSignal.any nor a signal's reason.

import { ApiError } from './api-error.js';

/** A longer timer would fire at once. */
const TIMER_MAX_MS = 2_147_483_647;

/** `call`: what the messages name, such as `GET https://…/orders`. */
export function startEnding(call: string, timeoutMs: number, caller?: AbortSignal) {
  const controller = new AbortController();
  let error: Error | undefined;
  let reject: (error: Error) => void = () => {};
  const ending = new Promise<never>((_resolve, reject_) => {
    reject = reject_;
  });
  // No unhandled rejection if nothing is waiting.
  ending.catch(() => {});
  const end = (reason: Error) => {
    error ??= reason;
    reject(error);
    controller.abort();
  };
  const timer = setTimeout(
    () => end(new ApiError('TIMED_OUT', `${call} got no answer within ${timeoutMs} ms`)),
    Math.min(timeoutMs, TIMER_MAX_MS),
  );
  const onAbort = () => end(abortedBy(caller, call));
  if (caller?.aborted) onAbort();
  else caller?.addEventListener('abort', onAbort);
  return {
    /** For `fetch`, which may ignore it. */
    signal: controller.signal,
    /** The promise's outcome, or the error that ended the call. */
    async race<T>(promise: Promise<T>): Promise<T> {
      try {
        return await Promise.race([ending, promise]);
      } catch (cause) {
        // `fetch` may reject first, with an error of its own.
        throw error ?? cause;
      }
    },
    /** Releases the timer and the signal. */
    done() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}

export function abortedBy(signal: AbortSignal | undefined, call: string): Error {
  const cause: unknown = signal?.reason;
  return new ApiError('ABORTED', `${call} was aborted by its signal`, { cause });
}

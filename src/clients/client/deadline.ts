// Ends a call at its timeout or by the caller's signal. Uses only AbortController and `addEventListener`,
// because React Native and older browsers lack AbortSignal.timeout, AbortSignal.any and a signal's
// reason.

import { ApiError } from './api-error.js';

/** A longer timer fires at once. */
const TIMER_MAX_MS = 2_147_483_647;

/** `call`: for messages, such as `GET https://…/orders`. */
export function startDeadline(call: string, timeoutMs: number, caller?: AbortSignal) {
  const controller = new AbortController();
  let end: (error: Error) => void = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    end = (error) => {
      // Before the abort, because an aborted `fetch` rejects with its own error.
      reject(error);
      controller.abort();
    };
  });
  // Prevents an unhandled rejection if nothing is waiting.
  ended.catch(() => {});
  const timer = setTimeout(
    () => end(new ApiError('TIMED_OUT', `${call} got no response within ${timeoutMs} ms`)),
    Math.min(timeoutMs, TIMER_MAX_MS),
  );
  const onAbort = () => end(abortedBy(caller, call));
  if (caller?.aborted) onAbort();
  else caller?.addEventListener('abort', onAbort);
  return {
    /** For `fetch`, which may ignore it. */
    signal: controller.signal,
    /** The promise's outcome, or the error that ended the call. */
    race: <T>(promise: Promise<T>): Promise<T> => Promise.race([ended, promise]),
    /** Releases the timer and the signal. */
    done() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}

export function abortedBy(signal: AbortSignal | undefined, call: string): Error {
  return new ApiError('ABORTED', `${call} was aborted by its signal`, { cause: signal?.reason });
}

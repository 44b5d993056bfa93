// Ends a call without an answer: at its timeout or by the caller's signal. AbortController and
// `addEventListener` only: React Native and older browsers have neither AbortSignal.timeout nor
// AbortSignal.any nor a signal's reason.

import { ApiError } from './api-error.js';

/** A longer timer would fire at once. */
const TIMER_MAX_MS = 2_147_483_647;

/** `call`: what the messages name, such as `GET https://…/orders`. */
export function startDeadline(call: string, timeoutMs: number, caller?: AbortSignal) {
  const controller = new AbortController();
  let end: (error: Error) => void = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    end = (error) => {
      // Done first, because an aborted `fetch` rejects with its own error.
      reject(error);
      controller.abort();
    };
  });
  // No unhandled rejection if nothing is waiting.
  ended.catch(() => {});
  const timer = setTimeout(
    () => end(new ApiError('TIMED_OUT', `${call} got no answer within ${timeoutMs} ms`)),
    Math.min(timeoutMs, TIMER_MAX_MS),
  );
  const onAbort = () => end(abortedBy(caller, call));
  if (caller?.aborted) onAbort();
  else caller?.addEventListener('abort', onAbort);
  return {
    /** Passed to `fetch`, which may ignore it. */
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

// A value, or a promise of it. Answers from memory need no promise, and a chain of
// promises costs more than such an answer.

export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value: at once if it is there, otherwise when the promise resolves. */
export function thenMaybe<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>) {
  return value instanceof Promise ? value.then(next) : next(value);
}

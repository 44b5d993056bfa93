// A value, or a promise of it. A read from memory needs no promise, and a chain of promises costs more than
// such a read.

export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value, at once or when the promise resolves. */
export function thenMaybe<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>) {
  return value instanceof Promise ? value.then(next) : next(value);
}

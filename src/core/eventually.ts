// A value, or a promise of it. Answers from memory need no promise, and a chain of
// promises costs more than such an answer.

export type Eventually<T> = T | Promise<T>;

/** Calls `next` with the value: at once if it is there, otherwise when the promise resolves. */
export function andThen<T, U>(
  value: Eventually<T>,
  next: (value: T) => Eventually<U>,
): Eventually<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

// A value now or later. What memory can answer at once is answered at once: a
// chain of promises around it costs more than the answer itself.

export type Eventually<T> = T | Promise<T>;

/** Goes on with the value: at once where it is there, else when it is. */
export function andThen<T, U>(
  value: Eventually<T>,
  next: (value: T) => Eventually<U>,
): Eventually<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

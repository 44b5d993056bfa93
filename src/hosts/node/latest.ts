// A value that is read from a disk for each question. If the disk hangs, the answer is
// the last value, and no second read begins.

/** A read of the disk gets this long. */
const READ_MAX_MS = 1_000;

export class Latest<T> {
  readonly #read: () => Promise<T>;
  #last: T;
  #reading: Promise<T> | undefined;

  /** `read` must never reject. Until its first answer the value is `first`. */
  constructor(read: () => Promise<T>, first: T) {
    this.#read = read;
    this.#last = first;
  }

  async value(): Promise<T> {
    this.#reading ??= this.#read().then((value) => {
      this.#last = value;
      this.#reading = undefined;
      return value;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, READ_MAX_MS);
    });
    await Promise.race([this.#reading, late]);
    clearTimeout(timer);
    return this.#last;
  }
}

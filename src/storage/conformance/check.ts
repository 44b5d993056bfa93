// A check of a storage: a name, and a run that rejects if the promise is broken. It needs no test
// framework: what it expects is an error that says what was found and what was wanted.

import type { RecordStorage, StoredViews } from '../../core/records/record-storage.js';

export type CheckedStorage = RecordStorage & StoredViews;

/** One place to store into, new and without rows when it is made. */
export interface StorageHome {
  /**
   * Opens the storage with what it held, any number of times. The one opened before is closed, except
   * in the checks of a second opening: there this rejects, or the first one is fenced.
   */
  open(): Promise<CheckedStorage>;
  /** Makes every audit event from the next opening on impossible to store. Called while closed. */
  refuseEvents?(): Promise<void>;
  remove(): Promise<void>;
}

export interface Check {
  readonly name: string;
  /** Rejects with an error that says what was found and what was wanted. */
  run(): Promise<void>;
}

/** Checks by name. */
export type Steps = Readonly<Record<string, (bench: Bench) => Promise<void>>>;

/** The storage that a check works on, which it may close and open again. */
export class Bench {
  readonly home: StorageHome;
  storage: CheckedStorage;
  #isOpen = true;

  constructor(home: StorageHome, storage: CheckedStorage) {
    this.home = home;
    this.storage = storage;
  }

  async close(): Promise<void> {
    if (this.#isOpen) await this.storage.close();
    this.#isOpen = false;
  }

  async reopen(): Promise<void> {
    await this.close();
    this.storage = await this.home.open();
    this.#isOpen = true;
  }

  /** Expects the same of the storage before and after it is closed and opened again. */
  async alwaysSame(
    what: string,
    find: (storage: CheckedStorage) => Promise<unknown>,
    wanted: unknown,
  ): Promise<void> {
    expectSame(what, await find(this.storage), wanted);
    await this.reopen();
    expectSame(`${what} after reopening`, await find(this.storage), wanted);
  }
}

/** Checks that each get a home of their own. */
export function checksOf(make: () => Promise<StorageHome>, steps: Steps): Check[] {
  return Object.entries(steps).map(([name, step]) => ({
    name,
    async run() {
      const home = await make();
      const bench = new Bench(home, await home.open());
      try {
        await step(bench);
      } finally {
        await bench.close();
        await home.remove();
      }
    },
  }));
}

/** Throws unless both are the same JSON, whatever the order of properties. */
export function expectSame(what: string, found: unknown, wanted: unknown): void {
  const [shown, right] = [canonical(found), canonical(wanted)];
  if (shown === right) return;
  const cut = (text: string) => (text.length <= 400 ? text : `${text.slice(0, 400)}…`);
  throw new Error(`${what}: found ${cut(shown)}; it must be ${cut(right)}`);
}

function canonical(value: unknown): string {
  const sorted = (_name: string, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner;
  return JSON.stringify(value, sorted) ?? 'undefined';
}

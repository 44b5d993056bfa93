// A check of a storage: a name, and a run that rejects if the promise is broken.

import type { RecordStorage, StoredViews } from '../../core/records/record-storage.js';

/** A storage with its audit events; with the operator's other views where it answers them itself. */
export type CheckedStorage = RecordStorage &
  Pick<StoredViews, 'auditEvents'> &
  Partial<StoredViews>;

/** One place to store into, new and without rows when it is made. */
export interface StorageHome<Opened extends RecordStorage = CheckedStorage> {
  /**
   * Opens the storage there, again and again; what it held is still there. The one opened before is
   * closed, but for the checks of a second opening: there this rejects, or the first one is fenced.
   */
  open(): Promise<Opened>;
  /** Makes every audit event from the next opening on impossible to store. Called while closed. */
  refuseEvents?(): Promise<void>;
  remove(): Promise<void>;
}

export interface Check {
  readonly name: string;
  /** Rejects with an error that says what was found and what was wanted. */
  run(): Promise<void>;
}

/** The storage that a check works on, which it may close and open again. */
export interface Bench<Opened extends RecordStorage> {
  readonly storage: Opened;
  readonly home: StorageHome<Opened>;
  close(): Promise<void>;
  /** Closes it where it is open, and opens it. */
  reopen(): Promise<void>;
  /** Runs the check, closes, opens again and runs it again. */
  nowAndAfterReopening(check: () => Promise<void>): Promise<void>;
}

export type Step<Opened extends RecordStorage> = (bench: Bench<Opened>) => Promise<void>;

/** Checks that each get a home of their own. */
export function checksOf<Opened extends RecordStorage>(
  make: () => Promise<StorageHome<Opened>>,
  steps: Readonly<Record<string, Step<Opened>>>,
): Check[] {
  return Object.entries(steps).map(([name, step]) => ({ name, run: () => runAt(make, step) }));
}

async function runAt<Opened extends RecordStorage>(
  make: () => Promise<StorageHome<Opened>>,
  step: Step<Opened>,
): Promise<void> {
  const home = await make();
  let storage = await home.open();
  let isOpen = true;
  const bench: Bench<Opened> = {
    home,
    get storage() {
      return storage;
    },
    async close() {
      isOpen = false;
      await storage.close();
    },
    async reopen() {
      if (isOpen) await storage.close();
      storage = await home.open();
      isOpen = true;
    },
    async nowAndAfterReopening(check) {
      await check();
      await bench.reopen();
      await check();
    },
  };
  try {
    await step(bench);
  } finally {
    if (isOpen) await storage.close();
    await home.remove();
  }
}

// A check of a journal: a name, and a run that rejects where the promise is broken.

import type { Journal, StoredViews } from '../../core/records/journal.js';

/** A journal with its audit events; with the operator's other views where it answers them itself. */
export type CheckedJournal = Journal & Pick<StoredViews, 'auditEvents'> & Partial<StoredViews>;

/** One place to store into, new and without rows when it is made. */
export interface JournalHome<Opened extends Journal = CheckedJournal> {
  /**
   * Opens the journal there, again and again; what it held is still there. The one opened before is
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

/** The journal that a check works on, which it may close and open again. */
export interface Bench<Opened extends Journal> {
  readonly journal: Opened;
  readonly home: JournalHome<Opened>;
  close(): Promise<void>;
  /** Closes it where it is open, and opens it. */
  reopen(): Promise<void>;
  /** Runs the check, closes, opens again and runs it again. */
  nowAndAfterReopening(check: () => Promise<void>): Promise<void>;
}

export type Step<Opened extends Journal> = (bench: Bench<Opened>) => Promise<void>;

/** Checks that each get a home of their own. */
export function checksOf<Opened extends Journal>(
  make: () => Promise<JournalHome<Opened>>,
  steps: Readonly<Record<string, Step<Opened>>>,
): Check[] {
  return Object.entries(steps).map(([name, step]) => ({ name, run: () => runAt(make, step) }));
}

async function runAt<Opened extends Journal>(
  make: () => Promise<JournalHome<Opened>>,
  step: Step<Opened>,
): Promise<void> {
  const home = await make();
  let journal = await home.open();
  let isOpen = true;
  const bench: Bench<Opened> = {
    home,
    get journal() {
      return journal;
    },
    async close() {
      isOpen = false;
      await journal.close();
    },
    async reopen() {
      if (isOpen) await journal.close();
      journal = await home.open();
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
    if (isOpen) await journal.close();
    await home.remove();
  }
}

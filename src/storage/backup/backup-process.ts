// The process of one backup. It copies the frozen database file, checks the copy
// and reports its progress to the service.

import { stat } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { syncFile } from '../disk-sync.js';
import { checkDatabase, compact, countRecords } from './database-check.js';
import type { DatabaseContents } from './database-contents.js';
import { copySynced, expectRoom, fileErrorText } from './file-copy.js';

/** The messages, one after another. */
export interface BackupProgress {
  /** The copy is made; the database file is no longer needed. */
  readonly copied?: true;
  /** The copy is checked and on disk. */
  readonly contents?: DatabaseContents;
  readonly error?: string;
  /** Without a target: how many records the file holds. */
  readonly records?: number;
}

const [source = '', target] = process.argv.slice(2);

// A signal to the whole process group is meant for the service: that one ends this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const)
  process.on(signal, () => {});
process.on('disconnect', () => process.exit(1));
// Lower priority than the service: requests come first.
setPriority(constants.priority.PRIORITY_LOW);

try {
  if (target === undefined) {
    await tell({ records: countRecords(source) });
  } else {
    // The copy, and a compact one of it for a moment.
    await expectRoom(dirname(target), 2 * (await stat(source)).size);
    await copySynced(source, target);
    await tell({ copied: true });
    const contents = checkDatabase(target, compact);
    await syncFile(target);
    await tell({ contents });
  }
} catch (error) {
  await tell({ error: fileErrorText(error) });
}
process.exit();

function tell(progress: BackupProgress): Promise<void> {
  return new Promise((resolve) => process.send?.(progress, () => resolve()));
}

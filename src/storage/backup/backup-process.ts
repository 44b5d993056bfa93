// The process of a backup's steps: `copy SOURCE TARGET` and `check COPY`.

import { stat } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { syncFile } from '../disk-sync.js';
import type { Connection } from '../file/connection.js';
import { expectWhole } from '../file/own-database.js';
import type { StepOutcome } from './backups.js';
import { checkDatabase } from './database-check.js';
import { copySynced, expectRoom, fileErrorText } from './file-copy.js';

const [step, path = '', target = ''] = process.argv.slice(2);

// A signal to the whole process group is meant for the service, which ends this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const)
  process.on(signal, () => {});
process.on('disconnect', () => process.exit(1));
// Requests come first.
setPriority(constants.priority.PRIORITY_LOW);

const outcome = await run().catch((error: unknown) => ({ error: fileErrorText(error) }));
process.send?.(outcome, () => process.exit());

async function run(): Promise<StepOutcome> {
  if (step === 'copy') {
    // Room for the copy, and for a moment for the compacted one.
    await expectRoom(dirname(target), 2 * (await stat(path)).size);
    await copySynced(path, target);
    return {};
  }
  const contents = checkDatabase(path, compact);
  await syncFile(path);
  return { contents };
}

/**
 * Where SQLite moved records between pages it may have left deleted ones behind, even with
 * `secure_delete`: no backup has those.
 */
function compact(copy: Connection): void {
  // A copy that fails is removed: nothing needs to be rolled back.
  copy.value('pragma journal_mode = off');
  copy.value('vacuum');
  expectWhole(copy);
}

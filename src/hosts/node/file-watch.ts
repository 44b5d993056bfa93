// Detects that the open database file is no longer the one at its path: deleted, replaced, or its
// disk unmounted. SQLite doesn't, and every later write would be lost when the process ends.

import { stat } from 'node:fs/promises';
import type { Log } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { withTimeout } from '../operations/readiness.js';

const CHECK_INTERVAL_MS = 1_000;
const HINT =
  'writes are refused, and only this process still has every record: do not stop it, first save everything with the command dump, then load the dump and restore it';

/** Resolves with a function that checks the file now. `path`: of the file itself, not of a link. */
export async function watchFile(
  path: string,
  records: Pick<OpenRecords, 'refuseWrites'>,
  log: Log,
  events: ServiceEvents | undefined,
) {
  const opened = await identityAt(path);
  let isLost = false;
  async function compare() {
    const found = await identityAt(path);
    if (isLost || found === undefined || found === opened) return;
    isLost = true;
    clearInterval(timer);
    events?.storageLost();
    void records.refuseWrites();
    const finding = found === 'none' ? 'or its disk is gone' : 'was replaced by another file';
    log.error('storage_lost', `the database file ${path} ${finding}`, { hint: HINT });
  }
  const checkFile = withTimeout(compare, undefined);
  const timer = setInterval(() => void checkFile(), CHECK_INTERVAL_MS).unref();
  return checkFile;
}

/** Device and inode; undefined if unknown. By path, because opening and closing the file would drop its lock. */
function identityAt(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    ({ code }) => (code === 'ENOENT' || code === 'ENOTDIR' ? 'none' : undefined),
  );
}

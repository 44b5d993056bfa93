// Notices that the open database file is no longer the one at its path: deleted, replaced, its disk
// unmounted. SQLite does not, and every later write would be lost when the process ends.

import { stat } from 'node:fs/promises';
import type { Log } from '../../core/log.js';
import type { OpenRecords } from '../../core/records/memory-store.js';
import type { ServiceEvents } from '../../core/service-events.js';
import { withTimeout } from '../operations/readiness.js';

const LOOK_MS = 1_000;
const HINT =
  'writes are refused, and only this process still has every record: do not stop it, first save everything with the command dump, then load the dump and restore it';

/** Resolves with a function that looks now. `path`: of the file itself. */
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
    const finding = found === 'none' ? 'is gone, or its disk' : 'was replaced by another file';
    log.error('storage_lost', `the database file ${path} ${finding}`, { hint: HINT });
  }
  const look = withTimeout(compare, undefined);
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  return look;
}

/** Undefined if the system can't tell. Looks it up by name, because opening and closing the file would drop its lock. */
function identityAt(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    ({ code }) => (code === 'ENOENT' || code === 'ENOTDIR' ? 'none' : undefined),
  );
}

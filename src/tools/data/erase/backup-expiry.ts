// When the last backup with an erased account's records will be removed. An erasure
// doesn't change backups; they expire.

import { HOUR_MS } from '../../../core/domain/hour.js';
import type { BackupSettings } from '../../../hosts/settings.js';

/** `now`: when the records were deleted. Times are milliseconds since 1970, UTC. */
export function backupExpiry(
  backups: BackupSettings | undefined,
  now: number,
  timeText = (time: number) => new Date(time).toISOString(),
): string {
  if (backups === undefined) {
    return 'BACKUP_DIR is not set here: other copies of the database, and the states that a replica keeps, hold the records until they are removed.';
  }
  const { folder, intervalHours, keep } = backups;
  const when =
    intervalHours === 0
      ? 'backups are taken only on request'
      : `about ${timeText(now + keep * intervalHours * HOUR_MS)}`;
  return `The backups in ${folder} hold the records until ${keep} newer ones have replaced them: ${when}. One that is much larger than all newer ones, or was copied there by hand, stays until you remove it.`;
}

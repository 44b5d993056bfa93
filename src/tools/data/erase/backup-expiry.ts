// When the last backup with an erased account's records will be removed. An erasure
// doesn't change backups; they expire.

import { readdir } from 'node:fs/promises';
import { HOUR_MS } from '../../../core/domain/hour.js';
import type { BackupSettings } from '../../../hosts/settings.js';

const BACKUP = /-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db$/;

/** One to three sentences. `now`: when the records were deleted. Times are milliseconds since 1970, UTC. */
export async function backupExpiry(
  backups: BackupSettings | undefined,
  now: number,
  timeText = (time: number) => new Date(time).toISOString(),
): Promise<string> {
  if (backups === undefined) {
    return 'BACKUP_DIR is not set here: other copies of the database, and the states that a replica keeps, hold the records until they are removed.';
  }
  const { folder, intervalHours, keep } = backups;
  const names = await readdir(folder).catch(() => undefined);
  const times = names?.flatMap(timesOf).sort((one, other) => other - one) ?? [];
  if (names !== undefined && times.length === 0) return `There are no backups in ${folder}.`;
  const unread = names === undefined ? `The backup folder ${folder} can't be read here. ` : '';
  // A wrong clock may have dated backups in the future.
  const newest = times.find((time) => time <= now) ?? now;
  const when =
    intervalHours === 0
      ? 'which are taken only on request'
      : `about ${timeText(newest + keep * intervalHours * HOUR_MS)}, one every ${intervalHours} hours`;
  const last = `${unread}The last backup that can hold the records, of ${timeText(newest)}, is removed after ${keep} newer ones, ${when}. A backup that is much larger than every newer one stays until you remove it: the log says backup_held_back.`;
  const others = times.filter((time) => time > now || times.indexOf(time) >= keep).map(timeText);
  if (others.length === 0) return last;
  return `${last} These may hold the records, too, and stay until you remove them: ${others.join(', ')}.`;
}

function timesOf(name: string): number[] {
  const [, day, hour, minute, second] = BACKUP.exec(name) ?? [];
  return day === undefined ? [] : [Date.parse(`${day}T${hour}:${minute}:${second}`)];
}

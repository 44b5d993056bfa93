// The time at which the last backup with an erased account's records is removed.
// An erasure does not change backups; they are removed when they are old.

import { readdir } from 'node:fs/promises';
import { HOUR_MS } from '../../domain/hour.js';
import type { BackupSettings } from '../../settings.js';

const BACKUP = /-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db$/;

/** One or two sentences. `now`: when the records were gone, in milliseconds since 1970, UTC. */
export async function backupExpiry(
  backups: BackupSettings | undefined,
  now: number,
): Promise<string> {
  if (backups === undefined) {
    return 'BACKUP_DIR is not set here: copies that others keep of the database still hold the records until they are removed.';
  }
  const { folder, intervalHours, keep } = backups;
  const names = await readdir(folder).catch(() => undefined);
  const newest = names === undefined ? now : newestTime(names);
  if (newest === undefined) return `The folder of the backups ${folder} holds none.`;
  const last =
    names === undefined
      ? `The folder of the backups ${folder} cannot be read here. A backup`
      : `The backup of ${new Date(newest).toISOString()} is the last one that can hold the records. It`;
  if (intervalHours === 0) {
    return `${last} is removed when ${keep} newer ones have been taken, which happens only when asked for.`;
  }
  const expires = new Date(newest + keep * intervalHours * HOUR_MS).toISOString();
  return `${last} is removed about ${expires}, when ${keep} newer ones have been taken, one every ${intervalHours} hours.`;
}

function newestTime(names: readonly string[]): number | undefined {
  const times = names.flatMap((name) => {
    const found = BACKUP.exec(name);
    if (found === null) return [];
    const [, day, hour, minute, second] = found;
    return [Date.parse(`${day}T${hour}:${minute}:${second}`)];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

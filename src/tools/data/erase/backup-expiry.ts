// The time at which the last backup with an erased account's records is removed.
// An erasure does not change backups; they are removed when they are old.

import { readdir } from 'node:fs/promises';
import { HOUR_MS } from '../../../core/domain/hour.js';
import type { BackupSettings } from '../../../hosts/settings.js';

const BACKUP = /-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.db$/;

/** A time as a reader of the sentences wants it. Milliseconds since 1970, UTC. */
export type TimeText = (time: number) => string;

const RFC_3339: TimeText = (time) => new Date(time).toISOString();

/** One to four sentences. `now`: when the records were gone, in milliseconds since 1970, UTC. */
export async function backupExpiry(
  backups: BackupSettings | undefined,
  now: number,
  timeText: TimeText = RFC_3339,
): Promise<string> {
  if (backups === undefined) {
    return 'BACKUP_DIR is not set here: copies that others keep of the database, and the states that a replica keeps, still hold the records until they are removed.';
  }
  const { folder, intervalHours, keep } = backups;
  const names = await readdir(folder).catch(() => undefined);
  const times = names?.flatMap(timesOf) ?? [];
  if (names !== undefined && times.length === 0) {
    return `The folder of the backups ${folder} holds none.`;
  }
  const past = times.filter((time) => time <= now);
  const newest = past.length === 0 ? now : Math.max(...past);
  const last =
    names === undefined
      ? `The folder of the backups ${folder} cannot be read here. A backup`
      : past.length === 0
        ? 'The last backup that can hold the records'
        : `The backup of ${timeText(newest)} is the last one that can hold the records. It`;
  const older = past.sort((one, other) => one - other).slice(0, -keep);
  const others =
    heldBackText(older.map(timeText)) +
    fromFuture(times.filter((time) => time > now).map(timeText));
  if (intervalHours === 0) {
    return `${last} is removed when ${keep} newer ones have been taken, which happens only when asked for${UNLESS}.${others}`;
  }
  const expires = timeText(newest + keep * intervalHours * HOUR_MS);
  return `${last} is removed about ${expires}, when ${keep} newer ones have been taken, one every ${intervalHours} hours${UNLESS}.${others}`;
}

/** An erasure of a large account is itself a reason to hold an older backup back. */
const UNLESS =
  ', unless it holds much more than every newer one: then the log says backup_held_back, and you remove it by hand';

function heldBackText(times: readonly string[]): string {
  if (times.length === 0) return '';
  return ` Held back already: ${times.join(', ')}. Such a backup stays, and may hold the records too, until you remove it by hand.`;
}

/** The rotation removes these first, so they are gone before the newest one is. */
function fromFuture(times: readonly string[]): string {
  if (times.length === 0) return '';
  return ` A wrong clock gave a backup the time ${times.join(', ')}, which is yet to come: it may hold the records too, so remove it by hand or wait until it is removed before the others.`;
}

function timesOf(name: string): number[] {
  const found = BACKUP.exec(name);
  if (found === null) return [];
  const [, day, hour, minute, second] = found;
  return [Date.parse(`${day}T${hour}:${minute}:${second}`)];
}

// The empty file `service.db-open`, there while the database file has commits that no clean close has
// written back. With it, a start checks every page and refuses a missing log. A copy, a restored backup
// and a replica have none.

import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolderNow } from '../disk-sync.js';
import type { Connection } from './connection.js';

const OWNER_ONLY_FILE = 0o600;

export const markerOf = (database: string) => `${database}-open`;
export const isMarkedOpen = (database: string) => existsSync(markerOf(database));
export const hasLog = (database: string) => existsSync(`${database}-wal`);

/** On disk when it returns, and after the log: a marker without a log means that the log was lost. */
export function markOpen(database: string): void {
  const folder = dirname(database);
  syncFolderNow(folder);
  makeEmpty(markerOf(database));
  syncFolderNow(folder);
}

/** To be called before the connection closes, which removes the log. */
export function markClosed(database: string): void {
  rmSync(markerOf(database), { force: true });
  syncFolderNow(dirname(database));
}

/**
 * Closes a database that was only read, or refused. Closing writes the log back and removes it, so the
 * log of a file that is marked open is made again, empty: nothing of it is missing. `hadLog`: before the
 * connection was opened, which makes one.
 */
export function closeAsFound(connection: Connection, database: string, hadLog: boolean): void {
  const keepsLog = hadLog && isMarkedOpen(database);
  try {
    // Now: the connection itself may close later, once its statements are collected.
    if (keepsLog) connection.value('pragma journal_mode = delete');
  } catch {
    // The file is damaged, or Litestream has it open: then a start doesn't miss the log.
  }
  connection.close();
  if (keepsLog) makeEmpty(`${database}-wal`);
}

const makeEmpty = (path: string) => closeSync(openSync(path, 'a', OWNER_ONLY_FILE));

// What the log says of a database that was created, or that a setting allows to be created.

import { resolve } from 'node:path';
import type { Log } from '../../core/log.js';
import type { Settings } from '../settings.js';

/** `isNew`: this start made the database. */
export function warnOfCreation(
  { databasePath, databaseCreate }: Settings,
  isNew: boolean,
  log: Log,
): void {
  if (isNew) {
    log.warn('database_created', {
      file: resolve(databasePath),
      hint: 'there was none; if there should have been one, stop the service and look at DATABASE_URL and its disk',
    });
  } else if (databaseCreate) {
    log.warn('database_create_set', {
      hint: 'take DATABASE_CREATE out, or a lost database will be replaced by an empty one',
    });
  }
}

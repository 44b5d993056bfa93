// The database file of a host on Node, and SQL on it while the host is stopped.

import { join } from 'node:path';
import { runSql } from '../../scripts/run-sql.js';

/** Path of the file in a host's folder. */
export function databasePath(folder: string): string {
  return join(folder, 'service.db');
}

/** Runs SQL on a stopped host's database file. */
export async function changeDatabase(folder: string, ...statements: string[]): Promise<void> {
  await runSql(databasePath(folder), ...statements);
}

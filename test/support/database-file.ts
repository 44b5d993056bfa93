// The database file of a host on Node, and SQL on it while the host is stopped.

import { join } from 'node:path';
import { runSql } from '../../scripts/run-sql.js';
import { plantTriggers } from '../trials/planted-triggers.js';
import { FILL_COLUMNS } from './fill-columns.js';
import { type Host, RECORD_LIMIT } from './host.js';

/** Path of the file in a host's folder. */
export function databasePath(folder: string): string {
  return join(folder, 'service.db');
}

/** What the hosts over a file have in common. */
export const overFile: Omit<Host, 'name' | 'start'> = {
  storage: 'libSQL file',
  recordLimit: RECORD_LIMIT,
  keepsHeaderBytes: true,
  changeDatabase: (folder, _owner, ...statements) => changeDatabase(folder, ...statements),
};

/** Runs SQL on a stopped host's database file. Triggers are planted in the connection, because the service refuses a file with triggers. */
export async function changeDatabase(folder: string, ...statements: string[]): Promise<void> {
  const path = databasePath(folder);
  const isTrigger = (statement: string) => statement.startsWith('create trigger');
  plantTriggers(path, ...statements.filter(isTrigger));
  const others = statements.filter((statement) => !isTrigger(statement));
  // A row that these make or change is one that its owner can see.
  if (others.length > 0) await runSql(path, ...others, FILL_COLUMNS);
}

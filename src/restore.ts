// `node dist/restore.js FILE`, which is `npm run restore -- FILE`: puts a backup
// in the place of the database while the service is stopped.

import { resolve } from 'node:path';
import { erasedAccountsReport } from './data/erase/came-back.js';
import { COLLECTION_NAMES } from './domain/collection-name.js';
import { readDatabasePath } from './settings.js';
import { ownersIn } from './storage/backup/owners.js';
import { type Restored, restoreDatabase } from './storage/backup/restore.js';

const USAGE = `npm run restore -- FILE

Stop the service first. Checks the backup FILE, puts it in the place of the
database that DATABASE_URL names, and keeps the old one under another name.
`;

// One that nobody listens for makes Node open its debugger, to every program of this machine.
process.on('SIGUSR1', () => {});

const [file, ...more] = process.argv.slice(2);
if (file === undefined || more.length > 0 || file.startsWith('-')) {
  process.stderr.write(USAGE);
  process.exit(file === '--help' ? 0 : 1);
}
try {
  // npm runs this in the package's folder, wherever it was called.
  const backup = resolve(process.env['INIT_CWD'] ?? '', file);
  const path = resolve(readDatabasePath(process.env));
  const restored = await restoreDatabase({ backup, path, now: Date.now() });
  process.stdout.write(reportOf(backup, path, restored));
  process.stdout.write(await erasedAccountsReport(process.env, backup, ownersIn(path)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}

function reportOf(backup: string, path: string, { contents, kept }: Restored): string {
  const { records, recordCount, auditEventCount } = contents;
  const counts: [string, number][] = [
    ...COLLECTION_NAMES.map((name): [string, number] => [name, records[name] ?? 0]),
    ['records in all', recordCount],
    ['audit events', auditEventCount],
  ];
  const lines = counts.map(([name, count]) => `${name.padEnd(14)} ${String(count).padStart(9)}`);
  const old = kept === undefined ? 'There was no database before.' : `The old one is now ${kept}`;
  return `${path} is now the backup ${backup}\n\n${lines.join('\n')}\n\n${old}\n`;
}

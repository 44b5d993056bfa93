// `manage dump` writes everything that the service stores to one file, `manage load` loads it into
// an empty database, `manage restore` replaces the database of a stopped service with a backup.

import { dirname, resolve } from 'node:path';
import { isPostgresUrl } from '../../hosts/settings/schema.js';
import { readDatabasePath } from '../../hosts/settings.js';
import { restoreDatabase } from '../../storage/backup/restore.js';
import { ledgerPath, readLedger } from '../../storage/erasures/ledger.js';
import { counted } from '../data/failures.js';
import { adminKeyIn, serviceUrl } from '../data/service.js';
import { fileStore } from '../dump/database-file.js';
import { readSummary, type Store, type Summary, writeDump } from '../dump/dump-file.js';
import { postgresStore } from '../dump/postgres.js';
import { serviceStore } from '../dump/service.js';
import { type Call, type Declare, pathOf, UsageError } from '../program/command.js';

const SETTINGS = 'Settings: DATABASE_URL, ADMIN_API_KEY or ADMIN_API_KEY_FILE, as for the service';

const countsOf = (records: number, events: number) =>
  `${counted(records, 'record')} and ${counted(events, 'audit event')}`;
const textOf = ({ records, events, contents }: Summary) =>
  `${countsOf(records, events)}, contents ${contents}\n`;

export const dump: Declare = (command, call) =>
  command
    .description(`Write every record with its id, owner, order and times, and the audit log, into
a new file. The source is DATABASE_URL, unless --from names another one: a
database file or backup, the address of a running service (over a file, use
http://127.0.0.1:8080), or that of Workers deployed with MAINTENANCE=on. An
address is https, or http on loopback.
${SETTINGS}`)
    .requiredOption('--to <file>', 'a new file for the dump')
    .option('--from <source>', 'a database file, or an address')
    .action(async ({ to, from }) => {
      const path = pathOf(call, to);
      call.out(`${path}: ${textOf(await writeDump(path, storeOf('from', from, call), call))}`);
    });

export const load: Declare = (command, call) =>
  command
    .description(`Load a dump into a new database file, an empty Postgres database or Workers.
Nothing is overwritten, and a truncated or changed dump is refused. After an
interruption, run it again.
${SETTINGS},
and ERASURE_LEDGER or BACKUP_DIR: who was erased`)
    .argument('<file>')
    .option('--to <target>', 'a new database file, or the address of Workers')
    .action(async (file, { to }) => {
      const path = pathOf(call, file);
      const store = storeOf('to', to, call);
      const ledger = await ledgerFor(path, call);
      const summary = await readSummary(path);
      await store.load(path, summary.highest);
      call.out(`loaded ${textOf(summary)}${erasedAmong(summary.oldest, ledger)}`);
    });

export const restore: Declare = (command, call) =>
  command
    .description(`Check a backup, and replace the database of a stopped service with it. The old
database is kept under another name.
Settings: DATABASE_URL, BACKUP_DIR, ERASURE_LEDGER as the service has them`)
    .argument('<file>')
    .action(async (file) => {
      const { environment, out } = call;
      const backup = pathOf(call, file);
      // No default here: a restore would create a database in whatever the current folder is.
      if (!environment['DATABASE_URL']) {
        throw new UsageError(
          "DATABASE_URL is unset; set it, or give --settings with the file of the service's settings",
        );
      }
      const path = resolve(readDatabasePath(environment));
      // Read first: a restore without it would silently bring erased accounts back.
      const ledger = await ledgerFor(backup, call);
      const { contents, kept, owners } = await restoreDatabase(backup, path, Date.now());
      const old = kept ? `The old one is now ${kept}` : 'There was no database before.';
      const counts = countsOf(contents.recordCount, contents.auditEventCount);
      out(`${path} is now the backup ${backup}: ${counts}\n${old}\n`);
      const oldest = owners.map(({ subject, oldest }) => [subject, oldest] as const);
      out(erasedAmong(oldest, ledger));
    });

/**
 * Which accounts came back although they were erased, and what to do; empty if none did. An account whose
 * records are all later is a new one.
 */
function erasedAmong(
  oldest: Iterable<readonly [subject: string, time: number]>,
  ledger: ReadonlyMap<string, string>,
): string {
  const back = [...oldest].flatMap(([subject, time]) => {
    const erased = ledger.get(subject) ?? '';
    return time < Date.parse(erased) ? `${subject}  erased on ${erased}\n` : [];
  });
  if (back.length === 0) return '';
  return `
Accounts that were erased came back:

${back.join('')}
Start the service, then erase each of them again:
service-management erase --account SUBJECT --export-first FOLDER --confirm SUBJECT (in a clone: npm run erase -- …)
`;
}

/** The ledger that the settings name; otherwise that of the folder in which the backup or dump is. */
const ledgerFor = (file: string, { environment }: Call) =>
  readLedger(ledgerPath(environment, environment['BACKUP_DIR'] || dirname(file)) ?? '');

/** The store that the option names, or DATABASE_URL. */
function storeOf(option: 'from' | 'to', given: string | undefined, call: Call): Store {
  const text = given ?? call.environment['DATABASE_URL'] ?? '';
  if (text === '') throw new UsageError(`--${option} or DATABASE_URL must name a file or address`);
  if (isPostgresUrl(text)) {
    if (given === undefined) return postgresStore(text);
    throw new UsageError(
      `--${option} is a postgres URL, which every user of this machine can read; set DATABASE_URL instead`,
    );
  }
  if (!/^https?:/i.test(text)) {
    const path = text.startsWith('file:') ? readDatabasePath({ DATABASE_URL: text }) : text;
    return fileStore(pathOf(call, path));
  }
  const baseUrl = `${serviceUrl(text, `--${option}`).replace(/\/api\/v1$/, '')}/api/v1`;
  return serviceStore({ baseUrl, adminKey: adminKeyIn(call.environment) }, call);
}

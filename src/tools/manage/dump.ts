// `manage dump` writes everything that the service stores to one file; `manage load` loads it into an
// empty database; `manage restore` replaces the database of a stopped service with a backup.

import { dirname, resolve } from 'node:path';
import { isPostgresUrl } from '../../hosts/settings/schema.js';
import { readDatabasePath } from '../../hosts/settings.js';
import { restoreDatabase } from '../../storage/backup/restore.js';
import { ledgerPath, readLedger } from '../../storage/erasures/ledger.js';
import { counted } from '../data/errors.js';
import { adminKeyIn, serviceUrl } from '../data/service-client.js';
import { readSummary, type Store, type Summary, writeDump } from '../dump/dump-file.js';
import { fileStore } from '../dump/file-store.js';
import { postgresStore } from '../dump/postgres-store.js';
import { serviceStore } from '../dump/service-store.js';
import { type Call, type DefineCommand, pathOf, UsageError } from '../program/command.js';

const SETTINGS = 'Settings: DATABASE_URL, ADMIN_API_KEY(_FILE) as the service has them';

const countsOf = (records: number, events: number) =>
  `${counted(records, 'record')} and ${counted(events, 'audit event')}`;
const textOf = ({ records, events, contents }: Summary) =>
  `${countsOf(records, events)}, contents ${contents}\n`;

export const dump: DefineCommand = (command, call) =>
  command
    .description(`Write all records and the audit log of a database file, a backup, a Postgres
database, a running service, or Workers deployed with MAINTENANCE=on, to a file.
${SETTINGS}`)
    .requiredOption('--to <file>', 'a new file for the dump')
    .option('--from <source>', 'a file, or an address; DATABASE_URL by default')
    .action(async ({ to, from }) => {
      const path = pathOf(call, to);
      call.out(`${path}: ${textOf(await writeDump(path, storeOf('from', from, call), call))}`);
    });

export const load: DefineCommand = (command, call) =>
  command
    .description(`Load a dump into an empty database, completely or not at all.
${SETTINGS},
BACKUP_DIR or ERASURE_LEDGER: who was erased`)
    .argument('<file>')
    .option('--to <target>', 'a new file, or the address of Workers; DATABASE_URL by default')
    .action(async (file, { to }) => {
      const path = pathOf(call, file);
      const store = storeOf('to', to, call);
      const ledger = await ledgerFor(path, call);
      const summary = await readSummary(path);
      await store.load(path, summary.highest);
      call.out(`loaded ${textOf(summary)}${erasedAmong(summary.oldest, ledger)}`);
    });

export const restore: DefineCommand = (command, call) =>
  command
    .description(`Replace the database of a stopped service with a backup, and keep the old one.
Settings: DATABASE_URL, BACKUP_DIR, ERASURE_LEDGER as the service has them`)
    .argument('<file>')
    .action(async (file) => {
      const { environment, out } = call;
      const backup = pathOf(call, file);
      // No default, because it would create a database in the current folder.
      if (!environment['DATABASE_URL']) {
        throw new UsageError("DATABASE_URL is unset; pass the service's settings by --settings");
      }
      const path = resolve(readDatabasePath(environment));
      // Before the restore, which without it would silently bring erased accounts back.
      const ledger = await ledgerFor(backup, call);
      const { contents, owners, oldFile } = await restoreDatabase(backup, path, Date.now());
      const old = oldFile ? `The old one is now ${oldFile}` : 'There was no database before.';
      const counts = countsOf(contents.recordCount, contents.auditEventCount);
      out(`${path} is now the backup ${backup}: ${counts}\n${old}\n`);
      const oldest = owners.map(({ subject, oldest }) => [subject, oldest] as const);
      out(erasedAmong(oldest, ledger));
    });

/** Lists erased accounts that came back. If all records of an account are newer, it is a new account. */
function erasedAmong(
  oldest: Iterable<readonly [subject: string, time: number]>,
  ledger: ReadonlyMap<string, string>,
): string {
  const back = [...oldest].flatMap(([subject, time]) => {
    const erased = ledger.get(subject) ?? '';
    return time < Date.parse(erased) ? `${subject}  erased on ${erased}\n` : [];
  });
  if (back.length === 0) return '';
  return `\nAccounts that were erased came back:\n\n${back.join('')}\nErase each of them again.\n`;
}

/** The ledger of the settings, otherwise that of the folder of the backup or dump. */
const ledgerFor = (file: string, { environment }: Call) =>
  readLedger(ledgerPath(environment, environment['BACKUP_DIR'] || dirname(file)) ?? '');

/** The store that the option names, or DATABASE_URL. */
function storeOf(option: 'from' | 'to', given: string | undefined, call: Call): Store {
  const text = given ?? call.environment['DATABASE_URL'];
  if (!text) throw new UsageError(`--${option} or DATABASE_URL must name a file or address`);
  if (isPostgresUrl(text)) {
    if (given === undefined) return postgresStore(text);
    throw new UsageError(
      `--${option} exposes the password to other users; set DATABASE_URL instead`,
    );
  }
  if (!/^https?:/i.test(text)) {
    const path = text.startsWith('file:') ? readDatabasePath({ DATABASE_URL: text }) : text;
    return fileStore(pathOf(call, path));
  }
  const baseUrl = `${serviceUrl(text, `--${option}`).replace(/\/api\/v1$/, '')}/api/v1`;
  return serviceStore({ baseUrl, adminKey: adminKeyIn(call.environment) }, call);
}

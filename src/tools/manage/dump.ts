// `manage dump` writes everything that the service stores into one file; `manage load` puts it
// into an empty storage.

import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { isPostgresUrl } from '../../hosts/settings/schema.js';
import { readDatabasePath } from '../../hosts/settings.js';
import { ledgerPath, readLedger } from '../../storage/erasures/ledger.js';
import { inWords } from '../data/failures.js';
import { adminKeyIn, plainUrl, Service } from '../data/service.js';
import { fileStore } from '../dump/database-file.js';
import { type Contents, checkedDump, type Store, writeDump } from '../dump/dump-file.js';
import { postgresStore } from '../dump/postgres.js';
import { serviceStore } from '../dump/running-service.js';
import { workersStore } from '../dump/workers.js';
import { COMMON, type Command } from '../program/command.js';
import { type CommandDependencies, pathOf } from '../program/command-dependencies.js';
import { EXIT_DONE, EXIT_FAILED, UsageError } from '../program/ending.js';

const EXAMPLE = 'https://service-management-admin.example.workers.dev';
const SETTINGS = 'Settings: DATABASE_URL, ADMIN_API_KEY or ADMIN_API_KEY_FILE, as for the service';

const textOf = ({ records, events, contents }: Contents, isWhole = true) =>
  `${records} records and ${events} audit events${isWhole ? `, contents ${contents}` : ''}\n`;

export const DUMP: Command = {
  help: `manage dump --to FILE [--from FILE|URL] [--account SUBJECT]

Writes every record with its id, owner, order and times, and the audit log, into
a new FILE. The source is DATABASE_URL, unless --from names another one: a
database file or backup, the address of a running service (over a file, use
http://127.0.0.1:8080), or that of the admin Worker.
${SETTINGS}.

  --to FILE             the dump; must not exist
  --from FILE|URL       the source
  --account SUBJECT     only this account
${COMMON}`,
  async run(given, dependencies) {
    const path = pathOf(dependencies, given.required('to', 'a new file'));
    const account = given.text('account');
    if (account === '') throw new UsageError('--account is empty; it must be a subject');
    const store = await storeOf('from', given.text('from'), dependencies);
    const contents = await inWords(() => writeDump(path, store, account, dependencies));
    dependencies.out(`${path}: ${textOf(contents)}`);
  },
};

export const LOAD: Command = {
  help: `manage load FILE [--to FILE|URL] [--bring-back]

Loads the dump FILE into a new database file, an empty Postgres database or
Workers. Nothing is overwritten, and a dump that was cut or changed is refused
as a whole. Interrupted, run it again. Ends with 1 if an account is refused.
${SETTINGS},
and ERASURE_LEDGER or BACKUP_DIR: who was erased.

  --to FILE|URL         a new database file, or the address of the admin Worker;
                        DATABASE_URL unless given
  --bring-back          also loads accounts that were erased since
${COMMON}`,
  async run(given, dependencies) {
    const { environment, out } = dependencies;
    const path = pathOf(dependencies, given.file);
    const store = await storeOf('to', given.text('to'), dependencies);
    const ledgerAt = ledgerPath(environment, environment['BACKUP_DIR'] || dirname(path)) ?? '';
    const ledger = given.flag('bring-back') ? undefined : await readLedger(ledgerAt);
    const dump = await checkedDump(path, ledger, store.kind);
    const refused = (await inWords(async () => store.load?.(dump))) ?? [];
    const left = [...dump.withheld, ...refused];
    out(`loaded ${textOf(dump.loaded, left.length === 0)}`);
    if (dump.newIds.length > 0) {
      const list = `${path}-new-ids.csv`;
      await writeFile(list, stringify(dump.newIds, { header: true }), { mode: 0o600, flush: true });
      out(`${dump.newIds.length} records have new ids; the list is ${list}\n`);
    }
    for (const [owner, reason] of left) out(`not loaded: ${JSON.stringify(owner)}: ${reason}\n`);
    return left.length === 0 ? EXIT_DONE : EXIT_FAILED;
  },
};

/** Of an option, or of DATABASE_URL. */
async function storeOf(
  option: 'from' | 'to',
  given: string | undefined,
  dependencies: CommandDependencies,
): Promise<Store> {
  const { environment } = dependencies;
  const text = given ?? environment['DATABASE_URL'] ?? '';
  if (text === '') {
    throw new UsageError(`--${option} or DATABASE_URL must name a file or an address`);
  }
  if (isPostgresUrl(text)) {
    if (given === undefined) return postgresStore(text);
    throw new UsageError(
      `--${option} is a postgres URL, which every user of this machine can read; set DATABASE_URL in its place`,
    );
  }
  if (!/^https?:/i.test(text)) {
    const path = text.startsWith('file:') ? readDatabasePath({ DATABASE_URL: text }) : text;
    return fileStore(pathOf(dependencies, path));
  }
  const at = plainUrl(`--${option}`, text, EXAMPLE);
  const adminKey = adminKeyIn(environment);
  const baseUrl = `${at.replace(/\/api\/v1$/, '')}/api/v1`;
  const service = new Service({ baseUrl, adminKey }, dependencies);
  // The admin Worker has no such path, and a running service takes no dump.
  const { status } = await fetch(`${baseUrl}/health`, { redirect: 'manual' }).catch(() => {
    throw new UsageError(`no answer from ${at}; check the address`);
  });
  return option === 'from' && (status === 200 || status === 503)
    ? serviceStore(service, dependencies)
    : workersStore(at, adminKey, service);
}

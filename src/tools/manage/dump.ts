// `manage dump` writes everything that the service stores into one file; `manage load` puts it
// into an empty storage.

import { dirname } from 'node:path';
import { isPostgresUrl } from '../../hosts/settings/schema.js';
import { readDatabasePath } from '../../hosts/settings.js';
import { ledgerPath, readLedger } from '../../storage/erasures/ledger.js';
import { adminKeyIn, plainUrl, Service } from '../data/service.js';
import { adminWorkerAt } from '../dump/admin-worker.js';
import { checkedDump, type DumpTarget, writeNewIds } from '../dump/checked-dump.js';
import { fileSource, fileTarget } from '../dump/database-file.js';
import { writeDump } from '../dump/dump-file.js';
import type { DumpSource } from '../dump/lines.js';
import { postgresSource, postgresTarget } from '../dump/postgres.js';
import { serviceSource } from '../dump/running-service.js';
import { workersSource, workersTarget } from '../dump/workers.js';
import { commandOf, flag, required, text } from '../program/command.js';
import { type CommandDependencies, pathOf, warnOfSlips } from '../program/command-dependencies.js';
import { EXIT_DONE, EXIT_FAILED, UsageError } from '../program/ending.js';

const EXAMPLE = 'https://service-management-admin.example.workers.dev';
const NAMED_MAX_ACCOUNTS = 20;
const SETTINGS = 'DATABASE_URL, ADMIN_API_KEY or ADMIN_API_KEY_FILE, as for the service';

export const DUMP = commandOf({
  name: 'manage dump',
  usage: '--to FILE [--from FILE|URL] [--account SUBJECT]',
  about: `Writes every record with its id, owner, order and times, and the audit log, into
a new FILE. The source is DATABASE_URL, unless --from names another one: a
database file or backup, the address of a running service (over a file, use
http://127.0.0.1:8080), or that of the admin Worker.`,
  options: {
    to: text('FILE', 'the dump; must not exist'),
    from: text('FILE|URL', 'the source'),
    account: text('SUBJECT', 'only this account'),
  },
  settings: SETTINGS,
  isFrugal: true,
  async run({ values: { to, from, account = null } }, dependencies) {
    const { version: release, now, out } = dependencies;
    const path = pathOf(dependencies, required('--to', 'a new file', to));
    if (account === '') throw new UsageError('--account is empty; it must be a subject');
    warnOfSlips(dependencies);
    const source = await sourceOf(from, dependencies);
    const head = { release, made: new Date(now()).toISOString(), source: source.kind, account };
    const { records, events, contents } = await writeDump(path, source, head);
    const lines = [
      `${path}: ${records} records and ${events} audit events`,
      `contents ${contents}`,
    ];
    out(`${[...lines, ...(source.remarks ?? [])].join('\n  ')}\n`);
  },
});

export const LOAD = commandOf({
  name: 'manage load',
  usage: 'FILE [--to FILE|URL] [--bring-back]',
  about: `Loads the dump FILE into a new database file, an empty Postgres database or
Workers. Nothing is overwritten, and a dump that was cut or changed is refused
as a whole. Interrupted, run it again. Ends with 1 if an account is refused.`,
  options: {
    to: text(
      'FILE|URL',
      'a new database file, or the address of the admin Worker;\nDATABASE_URL unless given',
    ),
    'bring-back': flag('also loads accounts that were erased since'),
  },
  settings: `${SETTINGS},\nERASURE_LEDGER or BACKUP_DIR: who was erased`,
  isFrugal: true,
  async run({ values, file }, dependencies) {
    const { environment, out } = dependencies;
    const path = pathOf(dependencies, file);
    warnOfSlips(dependencies);
    const { name, target } = targetOf(values.to, dependencies);
    const ledgerAt = ledgerPath(environment, environment['BACKUP_DIR'] || dirname(path)) ?? '';
    const ledger = values['bring-back'] ? undefined : await readLedger(ledgerAt);
    const dump = await checkedDump(path, ledger, target.givesIdsOnce);
    const { records, events, wasThere, refused = [], remarks = [] } = await target.load(dump);
    const verb = wasThere ? 'had been loaded before' : 'loaded';
    const lines = [`${name}: ${records} records and ${events} audit events ${verb}`, ...remarks];
    if (dump.newIds.length > 0) {
      const list = `${path}-new-ids.csv`;
      await writeNewIds(list, dump.newIds);
      lines.push(`${dump.newIds.length} records have new ids; the list is ${list}`);
    }
    const left = [...dump.withheld, ...refused];
    for (const [owner, reason] of left.slice(0, NAMED_MAX_ACCOUNTS)) {
      lines.push(`not loaded: ${JSON.stringify(owner)}: ${reason}`);
    }
    const more = left.length - NAMED_MAX_ACCOUNTS;
    if (more > 0) lines.push(`not loaded: ${more} more accounts`);
    out(`${lines.join('\n  ')}\n`);
    return left.length === 0 ? EXIT_DONE : EXIT_FAILED;
  },
});

async function sourceOf(
  from: string | undefined,
  dependencies: CommandDependencies,
): Promise<DumpSource> {
  const { kind, at } = placeOf('--from', from, dependencies);
  if (kind === 'file') return fileSource(at);
  if (kind === 'postgres') return postgresSource(at);
  const adminKey = adminKeyIn(dependencies.environment);
  const service = `${at.replace(/\/api\/v1$/, '')}/api/v1`;
  // The admin Worker has no such path.
  const health = await fetch(`${service}/health`, { redirect: 'manual' }).catch(() => undefined);
  return health?.status === 200 || health?.status === 503
    ? serviceSource(new Service({ baseUrl: service, adminKey }, dependencies), dependencies.now())
    : workersSource(adminWorkerAt(at, adminKey, dependencies));
}

function targetOf(
  to: string | undefined,
  dependencies: CommandDependencies,
): { name: string; target: DumpTarget } {
  const { kind, at } = placeOf('--to', to, dependencies);
  if (kind === 'file') return { name: at, target: fileTarget(at) };
  if (kind === 'postgres') return { name: 'the Postgres database', target: postgresTarget(at) };
  const adminKey = adminKeyIn(dependencies.environment);
  return { name: at, target: workersTarget(adminWorkerAt(at, adminKey, dependencies)) };
}

/** Of an option, or of DATABASE_URL. */
function placeOf(
  option: string,
  given: string | undefined,
  dependencies: CommandDependencies,
): { kind: 'file' | 'postgres' | 'address'; at: string } {
  const text = given ?? dependencies.environment['DATABASE_URL'] ?? '';
  if (text === '') {
    throw new UsageError(
      given === ''
        ? `${option} is empty; it must be a file or an address`
        : `neither ${option} nor DATABASE_URL says which database; give one of them`,
    );
  }
  if (isPostgresUrl(text)) {
    if (given === undefined) return { kind: 'postgres', at: text };
    throw new UsageError(
      `${option} is a postgres URL, which every user of this machine can read; set DATABASE_URL in its place`,
    );
  }
  if (/^https?:/i.test(text)) return { kind: 'address', at: plainUrl(option, text, EXAMPLE) };
  const path = text.startsWith('file:') ? readDatabasePath({ DATABASE_URL: text }) : text;
  return { kind: 'file', at: pathOf(dependencies, path) };
}

// `manage dump`: everything that the service stores, in one file.

import { isPostgresUrl } from '../../hosts/settings/schema.js';
import { readDatabasePath } from '../../hosts/settings.js';
import { Service } from '../data/service.js';
import { adminKeyIn, plainUrl } from '../data/target.js';
import type { Waits } from '../data/waiting.js';
import { AdminWorker } from '../dump/admin-worker.js';
import { FileSource, FileTarget } from '../dump/database-file.js';
import { writeDump } from '../dump/dump-file.js';
import type { DumpSource } from '../dump/lines.js';
import { PostgresSource, PostgresTarget } from '../dump/postgres.js';
import { ServiceSource } from '../dump/running-service.js';
import { WorkersSource, WorkersTarget } from '../dump/workers.js';
import { required, text } from '../program/arguments.js';
import { type Command, commandOf } from '../program/command.js';
import { type CommandDependencies, pathOf, warnOfSlips } from '../program/command-dependencies.js';
import { EXIT_DONE, UsageError } from '../program/ending.js';
import { KEY_SETTINGS } from './service-options.js';

const EXAMPLE = 'https://service-management-admin.example.workers.dev';

export const DUMP_SETTINGS = [
  ['DATABASE_URL', 'the database, as the service has it'],
  ...KEY_SETTINGS,
] as const;

export function dumpCommand(waits?: Waits): Command {
  return commandOf({
    name: 'manage dump',
    usage: '--to FILE [--from FILE|URL] [--account SUBJECT]',
    about: `Writes every record with its id, owner, order and times, and the audit log,
into a new FILE. The source is DATABASE_URL, unless --from names another one. Of
a running service over a file, use --from http://127.0.0.1:8080.`,
    options: {
      to: text('FILE', 'the dump; must not exist'),
      from: text(
        'FILE|URL',
        'a database file or backup, the address of a running\nservice, or that of the admin Worker',
      ),
      account: text('SUBJECT', 'this account alone'),
    },
    settings: DUMP_SETTINGS,
    isFrugal: true,
    async run({ values }, dependencies) {
      const path = pathOf(dependencies, required('--to', 'a new file', values.to));
      const account = subjectIn(values.account);
      warnOfSlips(dependencies);
      const source = await sourceOf(values.from, dependencies, waits);
      try {
        const { version: release, now } = dependencies;
        const made = new Date(now()).toISOString();
        const head = { release, made, account: account ?? null };
        const { records, events, contents } = await writeDump(path, source, head);
        dependencies.out(
          `${path}: ${records} records and ${events} audit events\n  contents ${contents}\n`,
        );
        for (const remark of source.remarks()) dependencies.out(`  ${remark}\n`);
        return EXIT_DONE;
      } finally {
        await source.close();
      }
    },
  });
}

export function subjectIn(account: string | undefined): string | undefined {
  if (account === '') throw new UsageError('--account is empty; it must be a subject');
  return account;
}

async function sourceOf(
  from: string | undefined,
  dependencies: CommandDependencies,
  waits: Waits | undefined,
): Promise<DumpSource> {
  const place = placeOf('--from', from, dependencies);
  if (place.kind === 'file') return FileSource.open(place.path);
  if (place.kind === 'postgres') return new PostgresSource(place.url);
  const { url } = place;
  const target = { url, adminKey: adminKeyIn(dependencies.environment) };
  if (await isService(url)) {
    const baseUrl = url.endsWith('/api/v1') ? url : `${url}/api/v1`;
    return new ServiceSource(
      new Service({ ...target, baseUrl }, dependencies, waits),
      dependencies.now(),
    );
  }
  return new WorkersSource(new AdminWorker(target, dependencies, waits));
}

export function targetOf(
  to: string | undefined,
  dependencies: CommandDependencies,
  waits: Waits | undefined,
) {
  const place = placeOf('--to', to, dependencies);
  if (place.kind === 'file') return { name: place.path, target: new FileTarget(place.path) };
  if (place.kind === 'postgres') {
    return { name: 'the Postgres database', target: new PostgresTarget(place.url) };
  }
  const { url } = place;
  const target = { url, adminKey: adminKeyIn(dependencies.environment) };
  return { name: url, target: new WorkersTarget(new AdminWorker(target, dependencies, waits)) };
}

/** Of an option, or of DATABASE_URL. */
function placeOf(
  option: string,
  given: string | undefined,
  dependencies: CommandDependencies,
): { kind: 'file'; path: string } | { kind: 'postgres' | 'address'; url: string } {
  const { environment } = dependencies;
  const isOption = given !== undefined;
  const text = given ?? environment['DATABASE_URL'] ?? '';
  if (text === '') {
    throw new UsageError(
      isOption
        ? `${option} is empty; it must be a file or an address`
        : `neither ${option} nor DATABASE_URL says which database; give one of them`,
    );
  }
  if (isPostgresUrl(text)) {
    if (!isOption) return { kind: 'postgres', url: text };
    throw new UsageError(
      `${option} is a postgres URL, which every user of this machine can read; set DATABASE_URL in its place`,
    );
  }
  if (/^https?:/i.test(text)) return { kind: 'address', url: plainUrl(option, text, EXAMPLE) };
  const path = text.startsWith('file:') ? readDatabasePath({ DATABASE_URL: text }) : text;
  return { kind: 'file', path: pathOf(dependencies, path) };
}

/** The admin Worker has no such path. */
async function isService(url: string): Promise<boolean> {
  const base = url.replace(/\/api\/v1$/, '');
  try {
    const { status } = await fetch(`${base}/api/v1/health`, { redirect: 'manual' });
    return status === 200 || status === 503;
  } catch {
    return false;
  }
}

// `export`: writes everything of one account, or of all accounts, into a new folder.

import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import type { ResourceUsage } from '../../../operator-client.js';
import type { CommandDependencies } from '../../program/command-dependencies.js';
import { Interrupted } from '../../program/ending.js';
import { type Progress, startProgress } from '../../program/progress.js';
import { CommandError, systemCodeOf } from '../failures.js';
import type { Service } from '../service.js';
import { subjectsOf } from '../walk.js';
import { AccountExport, OWNER_ONLY_FOLDER } from './account-export.js';
import { distributeAudit } from './audit-files.js';
import type { CsvStyle } from './csv-lines.js';
import {
  type Changed,
  type ExportFormat,
  MANIFEST,
  type Manifest,
  manifestOf,
} from './manifest.js';
import { OWNER_ONLY } from './turned-file.js';

export interface ExportOptions {
  /** Undefined: all. */
  readonly account: string | undefined;
  readonly folder: string;
  readonly format: ExportFormat;
  readonly collections: readonly CollectionName[];
  readonly style: CsvStyle;
}

/** The number of records and the id of the newest one. If both stay the same, no record was created or deleted. */
type Mark = readonly string[];

interface Begun {
  readonly account: string;
  readonly folder: string;
  readonly begun: string;
  readonly before: Mark;
  readonly files: AccountExport;
}

/** Characters of a subject in its folder's name; a hash keeps the names apart. */
const NAME_MAX_CHARACTERS = 80;

/** Resolves with the manifests, one for each account. */
export async function exportData(
  options: ExportOptions,
  service: Service,
  dependencies: CommandDependencies,
): Promise<Manifest[]> {
  const prepared = await prepare(options, service).catch(
    stoppedWith('stopped; nothing was written'),
  );
  await makeFolder(options.folder);
  return await writeAll(prepared, options, service, dependencies).catch(
    stoppedWith(`stopped: ${options.folder} is no whole export; remove it, or name a new folder`),
  );
}

interface Prepared {
  readonly usage: string;
  readonly accounts: readonly string[];
  /** How many records there are to come. */
  readonly total: number;
}

async function prepare(options: ExportOptions, service: Service): Promise<Prepared> {
  await service.reach();
  const usage = await lastUpdates(options, service);
  const accounts = options.account === undefined ? await subjectsOf(service) : [options.account];
  return { usage, accounts, total: await expectRecords(options, accounts, service) };
}

/** Adds to an interruption in which state the folder is; other errors stay as they are. */
function stoppedWith(sentence: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Interrupted ? new Interrupted(sentence) : error;
  };
}

async function writeAll(
  { usage, accounts, total }: Prepared,
  options: ExportOptions,
  service: Service,
  dependencies: CommandDependencies,
): Promise<Manifest[]> {
  const progress = startProgress(dependencies, {
    event: 'export_progress',
    noun: 'records',
    total,
  });
  try {
    const exports = new Map<string, Begun>();
    for (const account of accounts) {
      exports.set(account, await exportRecords(account, options, service, dependencies, progress));
    }
    const takers = [...exports].map(([account, { files }]) => {
      return [
        account,
        (events: Parameters<typeof files.addAudit>[0]) => files.addAudit(events),
      ] as const;
    });
    await distributeAudit(service, new Map(takers));
    const isUntouched = (await lastUpdates(options, service)) === usage;
    const manifests: Manifest[] = [];
    for (const begun of exports.values()) {
      manifests.push(await finish(begun, isUntouched, options, service, dependencies));
    }
    if (options.account === undefined) await writeIndex(options.folder, manifests, exports);
    return manifests;
  } finally {
    progress.stop();
  }
}

async function exportRecords(
  account: string,
  options: ExportOptions,
  service: Service,
  dependencies: CommandDependencies,
  progress: Progress,
): Promise<Begun> {
  const { format, collections, style } = options;
  const folder =
    options.account === undefined ? join(options.folder, folderName(account)) : options.folder;
  const begun = new Date(dependencies.now()).toISOString();
  const before = await markOf(account, options, service);
  const files = new AccountExport({
    service,
    account,
    folder,
    collections,
    format,
    style,
    progress,
  });
  await files.writeRecords();
  return { account, folder, begun, before, files };
}

async function finish(
  { account, folder, begun, before, files }: Begun,
  isUntouched: boolean,
  options: ExportOptions,
  service: Service,
  { now, version, out }: CommandDependencies,
): Promise<Manifest> {
  await files.finishAudit();
  const after = await markOf(account, options, service);
  const isSame = JSON.stringify(after) === JSON.stringify(before);
  const changed: Changed = !isSame ? 'yes' : isUntouched ? 'no' : 'possibly';
  const manifest = manifestOf({
    version,
    service: service.baseUrl,
    account,
    format: options.format,
    begun,
    finished: new Date(now()).toISOString(),
    changed_meanwhile: changed,
    files: files.files,
  });
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, {
    mode: OWNER_ONLY,
    flag: 'wx',
    flush: true,
  });
  const counts = files.files.map(({ content, records }) => `${content} ${records}`).join(', ');
  out(`${folder}: ${counts}\n`);
  if (changed === 'yes') {
    out(
      `${account} changed during the export: records came or went; export again for one moment\n`,
    );
  } else if (changed === 'possibly') {
    out(
      `records were changed in the service during the export of ${account}; whether they are this account's is not known\n`,
    );
  }
  return manifest;
}

/** Asks for the account itself: on Workers the views across accounts follow a little later. */
async function markOf(account: string, options: ExportOptions, service: Service): Promise<Mark> {
  const marks: string[] = [];
  for (const collection of options.collections) {
    const { items, pagination } = await service.patiently(() =>
      service.records(account, collection).list({ page_size: 1 }),
    );
    marks.push(`${pagination.total} ${items[0]?.id ?? ''}`);
  }
  return marks;
}

/** The time of the latest change in the exported collections, in any account. */
async function lastUpdates(options: ExportOptions, service: Service): Promise<string> {
  const { resources } = await service.patiently(() => service.client.usage());
  const times = options.collections.map((name): ResourceUsage => resources[name]);
  return times.map(({ last_updated_at }) => last_updated_at).join(' ');
}

/** How many records there are to come. */
async function expectRecords(
  options: ExportOptions,
  accounts: readonly string[],
  service: Service,
): Promise<number> {
  if (options.account === undefined) {
    const { resources } = await service.patiently(() => service.client.overview());
    return options.collections.reduce((sum, name) => sum + resources[name], 0);
  }
  const marks = await markOf(accounts[0] ?? '', options, service);
  const total = marks.reduce((sum, mark) => sum + Number(mark.split(' ', 1)[0]), 0);
  if (total > 0) return total;
  throw new CommandError(
    `the account ${JSON.stringify(options.account)} has no record in ${options.collections.join(', ')}; check --account: it is the subject, not a name`,
  );
}

/** Folder names that differ on every file system, whatever the subjects are. */
export function folderName(subject: string): string {
  const readable = encodeURIComponent(subject)
    .replace(/[.*'()!~]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
    .slice(0, NAME_MAX_CHARACTERS);
  const mark = createHash('sha256').update(subject).digest('hex').slice(0, 8);
  return `${readable}-${mark}`;
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    throw new CommandError(
      `the folder ${folder} cannot be made (${systemCodeOf(error)}); name another one with --to`,
    );
  }
  throw new CommandError(`the folder ${folder} is not empty; name a new one`);
}

async function writeIndex(
  folder: string,
  manifests: readonly Manifest[],
  exports: ReadonlyMap<string, Begun>,
): Promise<void> {
  const accounts = manifests.map(({ account, changed_meanwhile, files }) => ({
    account,
    folder: folderName(account),
    records: files
      .filter(({ content }) => content !== 'payments' && content !== 'audit')
      .reduce((sum, { records }) => sum + records, 0),
    changed_meanwhile,
  }));
  const text = JSON.stringify({ accounts: exports.size, exported: accounts }, null, 2);
  await writeFile(join(folder, 'accounts.json'), `${text}\n`, { mode: OWNER_ONLY, flag: 'wx' });
}

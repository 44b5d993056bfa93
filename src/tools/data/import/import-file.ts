// Imports one file into one collection in three steps: validate all rows, skip those that the account
// already has, send the others.

import { createHash } from 'node:crypto';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../../core/domain/collections.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/domain/json.js';
import { ApiError } from '../../../operator-client.js';
import { type Call, Interrupted } from '../../program/command.js';
import { INVISIBLE } from '../cell-values.js';
import { CommandError, counted, describeError, truncate } from '../errors.js';
import { CONNECTIONS, mapConcurrent } from '../map-concurrent.js';
import { recordPages } from '../paginate.js';
import { recordsOf, type ServiceClient } from '../service-client.js';
import type { Report } from './report.js';
import { locationOf, type SourceFile } from './source-file.js';
import { type Reading, type ValidatedRow, validatedRows } from './validated-rows.js';

export interface ImportOptions extends Reading {
  /** The path of a file, or of an export's folder. */
  readonly path: string;
  readonly account: string;
  readonly into?: CollectionName | undefined;
  readonly encoding?: string | undefined;
  readonly report?: string | undefined;
  readonly skipBad?: boolean | undefined;
  /** How to treat rows whose record exists. Undefined: refuse the import. */
  readonly existing?: 'skip' | 'create' | undefined;
  readonly reverse?: boolean | undefined;
  readonly inOrder?: boolean | undefined;
}

/** A file's valid rows, in its order. */
export interface ValidFile {
  readonly source: SourceFile;
  readonly collection: CollectionName;
  readonly rows: readonly ValidatedRow[];
  readonly badRows: number;
}

const SHOWN_ROWS = 3;
const SHOWN_MAX_CHARACTERS = 200;
const PHONE_NAMES = /phone|simu|mobile|^tel/i;
/** A spreadsheet that treats it as a number drops a leading zero or plus sign. */
const WITHOUT_PREFIX = /^[1-9]\d{6,14}$/;

/** Prints a summary, and adds the problems of bad rows to the report. */
export async function validateFile(
  source: SourceFile,
  collection: CollectionName,
  reading: Reading,
  report: Report,
  { out }: Call,
): Promise<ValidFile> {
  const how = source.encoding ?? (reading.sheet && `sheet ${JSON.stringify(reading.sheet)}`);
  out(`${source.path}: ${how ? `${how}, ` : ''}into ${collection}\n`);
  const found = await validatedRows(source, collection, reading);
  for (const { line, record } of found.rows.slice(0, SHOWN_ROWS)) {
    const shown = truncate(JSON.stringify(record), SHOWN_MAX_CHARACTERS);
    out(`  ${locationOf(source, line)}: ${shown}\n`);
  }
  for (const { line, problems } of found.rows) report.add(source, line, problems);
  const rows = found.rows.filter(({ problems }) => problems.length === 0);
  const badRows = found.rows.length - rows.length;
  const counts = `${counted(found.rows.length, 'row')}, ${rows.length} good, ${badRows} bad`;
  out(`${source.path}: ${[counts, ...found.notes].join(', ')}\n`);
  for (const warning of warningsAbout(found.rows, source)) out(`  warning: ${warning}\n`);
  return { source, collection, rows, badRows };
}

/** Warnings about values that are valid, but probably mistakes. */
function warningsAbout(rows: readonly ValidatedRow[], source: SourceFile): string[] {
  const warning = (sentence: string, isSuspicious: (name: string, value: JsonValue) => boolean) => {
    const suspicious = rows.flatMap(({ line, record }) =>
      Object.entries(record).flatMap(([name, value]) =>
        isSuspicious(name, value) ? { line, name } : [],
      ),
    );
    const [first] = suspicious;
    if (first === undefined) return [];
    return [
      `${locationOf(source, first.line)}: ${first.name} ${sentence} (${suspicious.length} in all)`,
    ];
  };
  return [
    ...warning(
      'starts with neither 0 nor +, which a spreadsheet may have removed',
      (name, value) => PHONE_NAMES.test(name) && WITHOUT_PREFIX.test(String(value)),
    ),
    ...warning(
      'has invisible characters, so a search won’t find what people type',
      (_name, value) => typeof value === 'string' && value.search(INVISIBLE) !== -1,
    ),
  ];
}

/**
 * The file without the rows that the account already has. Two equal rows are two records, so each record
 * matches one row. Throws a `CommandError` if there are any and `existing` is undefined.
 */
export async function withoutExisting(
  file: ValidFile,
  { account, existing }: ImportOptions,
  service: ServiceClient,
  { out }: Call,
): Promise<ValidFile> {
  const { source, collection } = file;
  const byContent = new Map<string, ValidatedRow[]>();
  for (const row of file.rows) {
    const content = contentOf(collection, row.record);
    const equal = byContent.get(content);
    if (equal === undefined) byContent.set(content, [row]);
    else equal.push(row);
  }
  let isEmpty = true;
  const known = new Set<ValidatedRow>();
  for await (const page of recordPages(service, account, collection)) {
    if (page.length > 0) isEmpty = false;
    if (existing === 'create') break;
    for (const record of page) {
      const row = byContent.get(contentOf(collection, record))?.shift();
      if (row !== undefined) known.add(row);
    }
  }
  if (isEmpty) out(`the account ${JSON.stringify(account)} has no ${collection} yet\n`);
  if (known.size > 0 && existing === undefined) {
    throw new CommandError(
      `nothing was written: ${known.size} of ${counted(file.rows.length, 'row')} of ${source.path} are already in ${collection} of the account; pass --existing skip to leave them out, or --existing create to create them once more`,
    );
  }
  if (known.size > 0) out(`${source.path}: ${counted(known.size, 'row')} there already\n`);
  return { ...file, rows: file.rows.filter((row) => !known.has(row)) };
}

/**
 * Creates a record for each row. Retries after 429 and 503. After any other error, including a lost
 * response, sends nothing more: only a second run, which compares with the account, can know what was
 * created.
 */
export async function sendFile(
  { source, collection, rows, badRows }: ValidFile,
  { account, reverse, inOrder }: ImportOptions,
  service: ServiceClient,
  call: Call,
): Promise<void> {
  const records = recordsOf(service.client, account, collection);
  const total = rows.length;
  let created = 0;
  try {
    const ordered = reverse ? rows.toReversed() : rows;
    await mapConcurrent(ordered, inOrder ? 1 : CONNECTIONS, async ({ line, record }) => {
      await service
        .withRetry(() => records.create(record), isSafeToRetry)
        .catch((error) => {
          if (error instanceof Interrupted) throw error;
          throw new CommandError(`${locationOf(source, line)}: ${describeError(error)}`);
        });
      created++;
    });
  } catch (error) {
    const sentence = `${source.path}: ${describeError(error)}; ${created} of ${counted(total, 'record')} known to be created; run the command again with --existing skip to create the rest`;
    throw error instanceof Interrupted ? new Interrupted(sentence) : new CommandError(sentence);
  }
  const leftOut = badRows === 0 ? '' : `, ${counted(badRows, 'bad row')} left out`;
  call.out(`${source.path}: ${counted(total, 'record')} created${leftOut}\n`);
}

/** After 429 and 503 nothing was changed, so a retry can't create a second record. */
function isSafeToRetry(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 429 || error.status === 503);
}

/** A digest that is equal for a row and the record created from it, in any order of properties. */
function contentOf(collection: CollectionName, record: JsonObject): string {
  const { defaults, mirrorsOwner } = COLLECTIONS[collection];
  const given = mirrorsOwner ? ['id', 'owner_sub', 'ownerSub'] : ['id', 'owner_sub'];
  const own = Object.entries({ ...defaults, ...record }).filter(([name]) => !given.includes(name));
  const text = JSON.stringify(Object.fromEntries(own), (name, value: JsonValue) => {
    // Another client may have stored the characters that an import removes.
    if (name === 'phone' && typeof value === 'string') return value.replace(INVISIBLE, '');
    return isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(byName)) : value;
  });
  return createHash('sha256').update(text).digest('base64');
}

function byName([a]: [string, JsonValue], [b]: [string, JsonValue]): number {
  return a < b ? -1 : 1;
}

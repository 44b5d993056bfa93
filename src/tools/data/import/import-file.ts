// Imports one file into one collection, in three steps: validate all rows, leave out those that are
// records of the account already, send the others.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import type { JsonObject } from '../../../core/domain/json.js';
import { ApiError } from '../../../operator-client.js';
import { type Call, Interrupted, startProgress } from '../../program/command.js';
import { CommandError, counted, cut, sentenceOf } from '../failures.js';
import { CONNECTIONS, mapConcurrent } from '../map-concurrent.js';
import { recordPages } from '../paginate.js';
import type { Service } from '../service.js';
import { contentOf } from './content.js';
import type { Report } from './report.js';
import { placeOf, type SourceFile } from './source-file.js';
import { suspicions } from './suspicions.js';
import { type Reading, validatedRows } from './validated-rows.js';

export interface ImportOptions {
  /** The path of a file, or of an export's folder. */
  readonly path: string;
  readonly account: string;
  readonly into?: CollectionName | undefined;
  readonly reading: Reading;
  readonly encoding?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly reportPath: string | undefined;
  readonly skipBad?: boolean | undefined;
  /** What to do with rows whose record exists already. Undefined: refuse the import. */
  readonly existing?: 'skip' | 'create' | undefined;
  readonly reverse?: boolean | undefined;
  readonly inOrder?: boolean | undefined;
}

interface ValidRow {
  readonly line: number;
  readonly record: JsonObject;
  /** Equal for rows that become equal records. */
  readonly content: string;
}

/** Its valid rows, in the file's order. */
export interface ValidFile {
  readonly source: SourceFile;
  readonly collection: CollectionName;
  readonly rows: readonly ValidRow[];
  readonly badRows: number;
}

const SHOWN_ROWS = 3;
const SHOWN_MAX_CHARACTERS = 200;

/** Prints what was found, and adds the problems of bad rows to the report. */
export async function validateFile(
  source: SourceFile,
  collection: CollectionName,
  reading: Reading,
  report: Report,
  { out }: Call,
): Promise<ValidFile> {
  out(`${source.path}: ${encodingText(source, reading.sheet)}into ${collection}\n`);
  const found = await validatedRows(source, collection, reading);
  for (const { line, record } of found.rows.slice(0, SHOWN_ROWS)) {
    const shown = cut(JSON.stringify(record), SHOWN_MAX_CHARACTERS);
    out(`  ${placeOf(source, line)}: ${shown}\n`);
  }
  const rows: ValidRow[] = [];
  for (const { line, record, problems } of found.rows) {
    if (problems.length > 0) report.add(source, line, problems);
    else rows.push({ line, record, content: contentOf(collection, record) });
  }
  const badRows = found.rows.length - rows.length;
  const { linesAboveHeader, emptyLines, hiddenRows } = found;
  const counts = [
    `${counted(found.rows.length, 'row')}, ${rows.length} good, ${badRows} bad`,
    linesAboveHeader > 0 && `${counted(linesAboveHeader, 'line')} above the header left out`,
    emptyLines > 0 && `${counted(emptyLines, 'empty line')} skipped`,
    hiddenRows > 0 && reading.skipHidden && `${counted(hiddenRows, 'hidden row')} left out`,
  ];
  out(`${source.path}: ${counts.filter((text) => text !== false).join(', ')}\n`);
  const warnings = suspicions(found.rows, collection, (line) => placeOf(source, line));
  const contents = new Set<string>();
  const equal = rows.filter(({ content }) => contents.size === contents.add(content).size);
  if (equal[0] !== undefined) {
    warnings.push(
      `${placeOf(source, equal[0].line)}: a row is equal to an earlier one (${equal.length} in all); each becomes a record of its own`,
    );
  }
  if (hiddenRows > 0 && !reading.skipHidden) {
    warnings.push(
      `${counted(hiddenRows, 'hidden or filtered row')} will be imported; --skip-hidden leaves such rows out`,
    );
  }
  for (const warning of warnings) out(`  warning: ${warning}\n`);
  return { source, collection, rows, badRows };
}

/**
 * The file without the rows that are records of the account already. Two equal rows are two
 * records, so each record stands for one row. Throws a `CommandError` if there are any, and
 * `existing` doesn't say what to do.
 */
export async function withoutExisting(
  file: ValidFile,
  { account, existing }: ImportOptions,
  service: Service,
  { out }: Call,
): Promise<ValidFile> {
  const { source, collection } = file;
  const byContent = new Map<string, ValidRow[]>();
  for (const row of file.rows) {
    const equal = byContent.get(row.content);
    if (equal === undefined) byContent.set(row.content, [row]);
    else equal.push(row);
  }
  let isEmpty = true;
  const there = new Set<ValidRow>();
  for await (const page of recordPages(service, account, collection)) {
    isEmpty = false;
    if (existing === 'create') break;
    for (const record of page) {
      const row = byContent.get(contentOf(collection, record))?.shift();
      if (row !== undefined) there.add(row);
    }
  }
  if (isEmpty) out(`the account ${JSON.stringify(account)} has no ${collection} yet\n`);
  if (there.size > 0 && existing === undefined) {
    throw new CommandError(
      `nothing was written: ${there.size} of ${counted(file.rows.length, 'row')} of ${source.path} are in ${collection} of the account already, as equal records; pass --existing skip to leave them out, or --existing create to create them once more`,
    );
  }
  if (there.size > 0) out(`${source.path}: ${counted(there.size, 'row')} there already\n`);
  return { ...file, rows: file.rows.filter((row) => !there.has(row)) };
}

/**
 * Creates a record for each row. A refusal that asks to wait is repeated. After any other failure,
 * a lost response included, it sends nothing more: only a second run, which compares with the
 * account, can tell what was created.
 */
export async function sendFile(
  { source, collection, rows, badRows }: ValidFile,
  { account, reverse, inOrder }: ImportOptions,
  service: Service,
  call: Call,
): Promise<void> {
  const records = service.records(account, collection);
  const total = rows.length;
  const progress = startProgress(call, { noun: 'rows', total });
  let created = 0;
  try {
    const ordered = reverse ? rows.toReversed() : rows;
    await mapConcurrent(ordered, inOrder ? 1 : CONNECTIONS, async ({ line, record }) => {
      await service
        .withRetry(() => records.create(record), isPostponed)
        .catch((error) => {
          if (error instanceof Interrupted) throw error;
          throw new CommandError(`${placeOf(source, line)}: ${sentenceOf(error)}`);
        });
      created++;
      progress.add();
    });
  } catch (error) {
    const sentence = `${source.path}: ${sentenceOf(error)}; ${created} of ${counted(total, 'record')} known to be created; run the command again with --existing skip to create the rest`;
    throw error instanceof Interrupted ? new Interrupted(sentence) : new CommandError(sentence);
  } finally {
    progress.stop();
  }
  const leftOut = badRows === 0 ? '' : `, ${counted(badRows, 'bad row')} left out`;
  call.out(`${source.path}: ${counted(total, 'record')} created${leftOut}\n`);
}

/** 429 and 503: nothing was done, so a repeated create makes no second record. */
function isPostponed(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 429 || error.status === 503);
}

function encodingText({ encoding, isGuess }: SourceFile, sheet?: string): string {
  if (encoding === '') return sheet === undefined ? '' : `sheet ${JSON.stringify(sheet)}, `;
  const doubt = ' (it is not UTF-8; if letters look wrong below, pass --encoding)';
  return `${encoding}${isGuess ? doubt : ''}, `;
}

// Imports one file into one collection: checks it, compares it with the account, sends it.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { sequenceOf } from '../../../core/domain/identifier.js';
import type { ApiError } from '../../../operator-client.js';
import { type Call, Interrupted, type Progress, startProgress } from '../../program/command.js';
import { CommandError, counted, isPassing, sentenceOf } from '../failures.js';
import type { Service } from '../service.js';
import { CONNECTIONS, several } from '../several.js';
import { recordPages } from '../walk.js';
import { contentOf } from './content.js';
import { judgedRows, type Reading } from './judged-rows.js';
import { type Report, shortened } from './problem.js';
import { placeOf, type SourceFile } from './source-file.js';
import { type Begun, type RowState, type StagedRow, Staging } from './staging.js';
import { Suspicions } from './suspicions.js';

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

export interface Import extends ImportOptions {
  /** Not called in a dry run. */
  readonly service: () => Service;
  readonly report: Report;
  readonly dependencies: Call;
}

const SHOWN_ROWS = 3;
const SHOWN_MAX_CHARACTERS = 200;

export class ImportedFile {
  readonly #source: SourceFile;
  readonly #collection: CollectionName;
  readonly #import: Import;
  readonly #staging: Staging;
  readonly #isResumed: boolean;
  readonly #begun: Begun;

  constructor(source: SourceFile, collection: CollectionName, parts: Import) {
    this.#source = source;
    this.#collection = collection;
    this.#import = parts;
    const { path, sha256, encoding } = source;
    const { dryRun, account, reading } = parts;
    const how = { ...reading, map: [...reading.map], encoding };
    // With a different file, target or reading it is a different import.
    const task = dryRun
      ? { dryRun: process.pid, path }
      : { path, sha256, service: parts.service().target.baseUrl, account, collection, how };
    this.#staging = new Staging(task, path);
    const begun = this.#staging.begun();
    this.#isResumed = begun !== undefined;
    this.#begun = begun ?? { bad: 0, newest: 0, run: '' };
  }

  async judge(): Promise<void> {
    if (this.#isResumed) return;
    const [source, collection] = [this.#source, this.#collection];
    const { reading, report, dependencies } = this.#import;
    const { out, interrupted } = dependencies;
    const leftOut = { empty: 0, aboveHeader: 0 };
    const suspicions = new Suspicions(collection);
    const begun = this.#begun;
    let rows = 0;
    out(`${source.path}: ${encodingText(source, reading.sheet)}into ${collection}\n`);
    async function* good() {
      for await (const found of judgedRows(source, collection, reading, leftOut)) {
        if (interrupted.aborted) throw new Interrupted('nothing was written');
        const { line, record, problems } = found;
        const body = JSON.stringify(record);
        const place = placeOf(source, line);
        if (++rows <= SHOWN_ROWS) out(`  ${place}: ${shortened(body, SHOWN_MAX_CHARACTERS)}\n`);
        suspicions.add(place, record);
        if (problems.length === 0) yield { line, body, content: contentOf(collection, record) };
        else {
          begun.bad++;
          report.add(source, line, problems);
        }
      }
    }
    await this.#staging.fill(good());
    const { empty, aboveHeader } = leftOut;
    const above =
      aboveHeader === 0 ? '' : `, ${counted(aboveHeader, 'line')} above the header left out`;
    const skipped = empty === 0 ? '' : `, ${counted(empty, 'empty line')} skipped`;
    const counts = `${counted(rows, 'row')}, ${rows - begun.bad} good, ${begun.bad} bad`;
    out(`${source.path}: ${counts}${above}${skipped}\n`);
    const equal = this.#staging.equalRows();
    for (const found of suspicions.sentences(equal.count, placeOf(source, equal.line))) {
      out(`  warning: ${found}\n`);
    }
  }

  /** Before the first row is sent, finds the rows that are records of the account already. */
  async compare(run: string): Promise<void> {
    const { account, existing, service, dependencies } = this.#import;
    const [staging, collection, target] = [this.#staging, this.#collection, service()];
    if (this.#isResumed) {
      await this.#settle();
      const done = `${staging.count('created')} of ${counted(staging.count(), 'record')}`;
      dependencies.out(`resuming: ${done} created already\n`);
      return;
    }
    const records = target.records(account, collection);
    const { items } = await target.patiently(() => records.list({ page_size: 1 }));
    const [newest] = items;
    if (newest === undefined) {
      dependencies.out(`the account ${JSON.stringify(account)} has no ${collection} yet\n`);
    } else this.#begun.newest = sequenceOf(collection, newest.id);
    this.#begun.run = run;
    if (existing === 'create') return;
    const there = await this.#find(0, 'there');
    if (there > 0 && existing === undefined) {
      throw new CommandError(
        `nothing was written: ${there} of ${counted(staging.count(), 'row')} of ${this.#source.path} are in ${collection} of the account already, as equal records; pass --existing skip to leave them out, or --existing create to create them once more`,
      );
    }
  }

  /** Resolves with the number of bad rows that were left out. */
  async send(): Promise<number> {
    const staging = this.#staging;
    const { path } = this.#source;
    const { dependencies } = this.#import;
    if (!this.#isResumed) staging.begin(this.#begun);
    const [already, there] = [staging.count('created'), staging.count('there')];
    const total = staging.count() - there;
    const counts = { event: 'import_progress', noun: 'rows', total, done: already };
    const progress = startProgress(dependencies, counts);
    try {
      await this.#sendAll(progress);
      if (staging.count('open') > 0) throw new Interrupted('stopped');
    } catch (error) {
      const sentence = `${path}: ${sentenceOf(error)}; ${staging.count('created')} of ${counted(total, 'record')} created; run the same command to resume`;
      throw error instanceof Interrupted ? new Interrupted(sentence) : new CommandError(sentence);
    } finally {
      progress.stop();
    }
    const { bad } = this.#begun;
    const created = counted(staging.count('created') - already, 'record');
    const before = already === 0 ? '' : `, ${already} before the interruption`;
    const existing = there === 0 ? '' : `, ${there} were there already`;
    const leftOut = bad === 0 ? '' : `, ${counted(bad, 'bad row')} left out`;
    dependencies.out(`${path}: ${created} created${before}${existing}${leftOut}\n`);
    return bad;
  }

  /** `isDone`: the whole import has succeeded. */
  close(isDone: boolean): void {
    this.#staging.close(isDone);
  }

  /**
   * Sends in rounds. After the first failure it sends nothing more and waits for the pending
   * requests; then it finds out which of them created a record, and starts the next round.
   * Resolves when no row is open, or after Ctrl-C.
   */
  async #sendAll(progress: Progress): Promise<void> {
    const staging = this.#staging;
    const { interrupted } = this.#import.dependencies;
    const service = this.#import.service();
    let wait = service.startWaiting();
    for (;;) {
      const before = staging.count('created');
      const trouble = await this.#sendRound(progress);
      if (trouble === undefined || interrupted.aborted) return;
      if (staging.count('created') > before) wait = service.startWaiting();
      await wait(trouble);
      if (interrupted.aborted) return;
      // After any other failure, records may have been created, or may still be.
      if (trouble.status !== 429) progress.add(await this.#settle());
    }
  }

  /** Resolves with the failure that ended the round early. */
  async #sendRound(progress: Progress): Promise<ApiError | undefined> {
    const [staging, source, collection] = [this.#staging, this.#source, this.#collection];
    const { account, reverse, inOrder, service, dependencies } = this.#import;
    const { interrupted } = dependencies;
    const records = service().forRun(this.#begun.run).records(account, collection);
    let trouble: ApiError | undefined;
    function* rows(): Generator<StagedRow> {
      for (const row of staging.open(reverse)) {
        if (interrupted.aborted || trouble !== undefined) return;
        yield row;
      }
    }
    await several(rows(), inOrder ? 1 : CONNECTIONS, async (row) => {
      try {
        const { id } = await records.create(JSON.parse(row.body));
        staging.created(row.row, sequenceOf(collection, id));
        progress.add();
      } catch (error) {
        if (!isPassing(error))
          throw new CommandError(`${placeOf(source, row.line)}: ${sentenceOf(error)}`);
        // If several requests fail, a failure that may have created a record takes precedence.
        if (trouble === undefined || trouble.status === 429) trouble = error;
      }
    });
    return trouble;
  }

  /** Rows that were sent without an answer may be records by now. Resolves with how many are. */
  async #settle(): Promise<number> {
    await this.#import.service().writesDecided();
    return this.#find(this.#begun.newest, 'created');
  }

  /**
   * Reads the account, and gives the state to each open row whose record exists. Two equal rows are
   * two records, so each record matches only one row. `after`: records up to this number are
   * ignored. Resolves with how many rows matched.
   */
  async #find(after: number, state: RowState): Promise<number> {
    const collection = this.#collection;
    const { service, account } = this.#import;
    let count = 0;
    for await (const page of recordPages(service(), account, collection)) {
      // Pages are newest first.
      const later = page.filter(({ id }) => sequenceOf(collection, id) > after);
      for (const record of later) {
        const sequence = sequenceOf(collection, record.id);
        if (this.#staging.claim(contentOf(collection, record), sequence, state)) count++;
      }
      if (later.length < page.length) break;
    }
    return count;
  }
}

function encodingText({ encoding, isGuess }: SourceFile, sheet?: string): string {
  if (encoding === '') return sheet === undefined ? '' : `sheet ${JSON.stringify(sheet)}, `;
  const doubt = ' (it is not UTF-8; if letters look wrong below, pass --encoding)';
  return `${encoding}${isGuess ? doubt : ''}, `;
}

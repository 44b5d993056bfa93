// One file on its way into one collection: judged, compared with the account, sent.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { sequenceOf } from '../../../core/domain/identifier.js';
import type { CommandDependencies } from '../../program/command-dependencies.js';
import { Interrupted } from '../../program/ending.js';
import { startProgress } from '../../program/progress.js';
import { CommandError, sentenceOf } from '../failures.js';
import type { Service } from '../service.js';
import { judgedRows, type Reading } from './judged-rows.js';
import type { Report } from './problem.js';
import { shortened } from './problem.js';
import { sendRows } from './send-rows.js';
import { contentOf, settle, writesDecided } from './settle.js';
import type { SourceFile } from './source-file.js';
import { type StagedRow, Staging } from './staging.js';
import { Suspicions } from './suspicions.js';

export interface Part {
  readonly source: SourceFile;
  readonly collection: CollectionName;
}

export interface ImportOptions {
  /** The path of a file, or of an export's folder. */
  readonly path: string;
  readonly account: string;
  readonly into: CollectionName | undefined;
  readonly reading: Reading;
  readonly encoding: string | undefined;
  readonly isDryRun: boolean;
  readonly reportPath: string | undefined;
  readonly skipsBad: boolean;
  /** What to do with rows whose record is there already. Undefined: the import is refused. */
  readonly existing: 'skip' | 'create' | undefined;
  readonly isReversed: boolean;
  readonly connections: number;
}

const SHOWN_ROWS = 3;
const SHOWN_MAX_CHARACTERS = 200;

export class ImportedFile {
  readonly #part: Part;
  readonly #options: ImportOptions;
  /** A dry run has none. */
  readonly #service: () => Service;
  readonly #report: Report;
  readonly #dependencies: CommandDependencies;
  readonly #staging: Staging;
  /** The number of the newest record before the first row. Undefined: no row was sent. */
  #newest: number | undefined;

  constructor(
    part: Part,
    options: ImportOptions,
    service: () => Service,
    report: Report,
    dependencies: CommandDependencies,
  ) {
    this.#part = part;
    this.#options = options;
    this.#service = service;
    this.#report = report;
    this.#dependencies = dependencies;
    this.#staging = Staging.open(this.#task(), part.source.path);
    const newest = this.#staging.fact('newest');
    this.#newest = newest === undefined ? undefined : Number(newest);
  }

  /** Another file, another target or another reading is another import. */
  #task(): object {
    const { source, collection } = this.#part;
    const { isDryRun, account, reading } = this.#options;
    const { path, sha256, encoding } = source;
    if (isDryRun) return { dryRun: process.pid, path };
    const how = { ...reading, map: [...reading.map], encoding };
    return { path, sha256, service: this.#service().baseUrl, account, collection, how };
  }

  async judge(): Promise<void> {
    if (this.#newest !== undefined) return;
    const { source, collection } = this.#part;
    const { out, interrupted } = this.#dependencies;
    const [report, { reading }] = [this.#report, this.#options];
    const leftOut = { empty: 0, aboveHeader: 0 };
    const suspicions = new Suspicions(collection);
    let [rows, bad] = [0, 0];
    out(`${source.path}: ${encodingText(source, reading.sheet)}into ${collection}\n`);
    async function* good() {
      for await (const found of judgedRows(source, collection, reading, leftOut)) {
        if (interrupted.aborted) throw new Interrupted('nothing was written');
        const { line, record, body, problems } = found;
        if (++rows <= SHOWN_ROWS) {
          const shown = shortened(body, SHOWN_MAX_CHARACTERS) || '(bad, see below)';
          out(`  line ${line}: ${shown}\n`);
        }
        suspicions.add(line, record);
        if (problems.length === 0) yield { line, body, content: contentOf(collection, record) };
        else {
          bad++;
          report.add(source.name, problems);
        }
      }
    }
    await this.#staging.fill(good());
    this.#staging.setFact('judged', JSON.stringify({ rows, bad }));
    const { empty, aboveHeader } = leftOut;
    const above = aboveHeader === 0 ? '' : `, ${aboveHeader} lines above the header left out`;
    const skipped = empty === 0 ? '' : `, ${empty} empty lines skipped`;
    out(`${source.path}: ${rows} rows, ${rows - bad} good, ${bad} bad${above}${skipped}\n`);
    const equal = this.#staging.equalRows();
    for (const found of suspicions.sentences(equal)) out(`  warning: ${found}\n`);
  }

  /** Before the first row is sent: which rows are records of the account already? */
  async compare(run: string): Promise<void> {
    const { source, collection } = this.#part;
    const { account, existing } = this.#options;
    const { out, interrupted } = this.#dependencies;
    const [staging, target] = [this.#staging, this.#target];
    staging.setAll('open', 'unsure');
    if (this.#newest !== undefined) {
      // An earlier run was interrupted: rows that it sent may be records.
      await writesDecided(target.service, interrupted);
      await settle(target, staging, this.#newest, 'created');
      const done = `${staging.count('created')} of ${staging.count()}`;
      out(`resuming: ${done} records are created already\n`);
      return;
    }
    const records = target.service.records(account, collection);
    const { items } = await target.service.patiently(() => records.list({ page_size: 1 }));
    const [newest] = items;
    if (newest === undefined) {
      out(`the account ${JSON.stringify(account)} has no ${collection} yet\n`);
    }
    const found = await settle(target, staging, 0, 'there');
    if (existing === 'create') staging.setAll('there', 'open');
    else if (found > 0 && existing === undefined) {
      throw new CommandError(
        `nothing was written: ${found} of ${staging.count()} rows of ${source.path} are in ${collection} of the account already, as equal records; pass --existing skip to leave them out, or --existing create to create them once more`,
      );
    }
    staging.setFact('run', run);
    this.#newest = newest === undefined ? 0 : sequenceOf(collection, newest.id);
  }

  /** Resolves with the number of rows that it left out because they are bad. */
  async send(): Promise<number> {
    const { source, collection } = this.#part;
    const { connections, isReversed } = this.#options;
    const { out, now, interrupted } = this.#dependencies;
    const [staging, newest = 0] = [this.#staging, this.#newest];
    staging.setFact('newest', String(newest));
    const { rows, bad } = JSON.parse(staging.fact('judged') ?? '{}');
    const [already, there] = [staging.count('created'), staging.count('there')];
    const total = staging.count() - there;
    const counts = { event: 'import_progress', noun: 'rows', total, done: already };
    const progress = startProgress(this.#dependencies, counts);
    const begun = now();
    const refused = (row: StagedRow, problem: string) => this.#refused(row, problem);
    const how = { newest, connections, isReversed, progress, interrupted, refused };
    try {
      await sendRows({ target: this.#target, staging, ...how });
      if (staging.count('open') > 0) throw new Interrupted('stopped');
    } catch (error) {
      const sentence = `${source.path}: ${sentenceOf(error)}; ${staging.count('created')} of ${total} records are created; run the same command to resume`;
      throw error instanceof Interrupted ? new Interrupted(sentence) : new CommandError(sentence);
    } finally {
      progress.stop();
    }
    const created = staging.count('created');
    const skipped = bad + staging.count('refused');
    const seconds = (now() - begun) / 1000;
    const rate = Math.round((created - already) / Math.max(seconds, 0.001));
    const existing = there === 0 ? '' : `, ${there} were there already`;
    const leftOut = skipped === 0 ? '' : `, ${skipped} left out`;
    out(
      `${source.path}: ${created - already} records created in ${seconds.toFixed(1)} s (${rate}/s), ${created} of ${rows} rows are in ${collection}${existing}${leftOut}\n`,
    );
    return skipped;
  }

  /** `isDone`: the whole import is. Else the rows stay for a later run, if some were sent. */
  close(isDone: boolean): void {
    if (!isDone && this.#staging.fact('newest') !== undefined) this.#staging.close();
    else this.#staging.delete();
  }

  get #target() {
    const service = this.#service().forRun(this.#staging.fact('run') ?? '');
    return { service, account: this.#options.account, collection: this.#part.collection };
  }

  #refused({ row, line }: StagedRow, problem: string): void {
    this.#report.add(this.#part.source.name, [{ line, column: '', problem, value: '' }]);
    if (!this.#options.skipsBad) {
      throw new CommandError(
        `line ${line}: the service refused the row: ${problem}; pass --skip-bad to leave such rows out`,
      );
    }
    this.#staging.set(row, 'refused');
  }
}

function encodingText({ encoding, notUtf8AtLine }: Part['source'], sheet?: string): string {
  if (encoding === '') return sheet === undefined ? '' : `sheet ${JSON.stringify(sheet)}, `;
  if (notUtf8AtLine === undefined) return `${encoding}, `;
  return `${encoding} (line ${notUtf8AtLine} is not UTF-8; if letters look wrong below, pass --encoding), `;
}

// `import`: judges every row first and then sends the rows. So a file is imported whole,
// or not at all, or up to a Ctrl-C, and no row is imported twice.

import { createHash } from 'node:crypto';
import type { CollectionName } from '../../../core/domain/collection-name.js';
import { sequenceOf } from '../../../core/domain/identifier.js';
import { ApiError } from '../../../operator-client.js';
import type { CommandDependencies } from '../../program/command-dependencies.js';
import { Interrupted } from '../../program/ending.js';
import { startProgress } from '../../program/progress.js';
import { CommandError, sentenceOf } from '../failures.js';
import type { Service } from '../service.js';
import { ImportJournal, type ImportTask } from './import-journal.js';
import { judgedRows, type Reading } from './judged-rows.js';
import { lock } from './lock-file.js';
import { type Part, planOf } from './plan.js';
import { problemText } from './problem.js';
import { Report } from './report.js';
import { sendRows } from './send-rows.js';
import { Spool } from './spool.js';

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
  readonly isReversed: boolean;
  readonly connections: number;
}

/** A part with its judged rows. `spool` is there only if the rows are to be sent. */
interface JudgedPart extends Part {
  readonly rows: number;
  readonly bad: number;
  readonly spool: Spool | undefined;
}

const SHOWN_ROWS = 3;
const SHOWN_MAX_CHARACTERS = 200;

/** Resolves with the exit code: 1 where a dry run finds a bad row, or rows are left out by this run. */
export async function importData(
  options: ImportOptions,
  service: () => Service,
  dependencies: CommandDependencies,
): Promise<number> {
  const parts = await planOf(options);
  const report = await Report.open(options.reportPath);
  const releases: (() => Promise<void>)[] = [];
  const judgedParts: JudgedPart[] = [];
  try {
    if (!options.isDryRun) {
      await service().reach();
      for (const part of parts) {
        const path = journalPath(part, options, service());
        releases.push(await lock(`${path}.lock`, part.source.path));
      }
    }
    for (const part of parts) judgedParts.push(await judge(part, options, report, dependencies));
    showProblems(report, options, dependencies);
    if (options.isDryRun) return report.badRows === 0 ? 0 : 1;
    if (report.badRows > 0 && !options.skipsBad) {
      throw new CommandError(
        'nothing was written; correct the rows, or pass --skip-bad to leave them out',
      );
    }
    if (!(await hasRecords(service(), options.account))) {
      dependencies.out(`the account ${JSON.stringify(options.account)} has no record yet\n`);
    }
    let leftOut = 0;
    for (const part of judgedParts) {
      leftOut += await send(part, options, service(), report, dependencies);
    }
    return leftOut === 0 ? 0 : 1;
  } finally {
    for (const { spool } of judgedParts) await spool?.close();
    for (const release of releases) await release();
    await report.close();
  }
}

/** An account without records may be a new one, or a subject that was misspelt. */
async function hasRecords(service: Service, account: string): Promise<boolean> {
  try {
    await service.patiently(() => service.client.accounts.read(account));
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

async function judge(
  part: Part,
  options: ImportOptions,
  report: Report,
  dependencies: CommandDependencies,
): Promise<JudgedPart> {
  const { source, collection } = part;
  const { out, interrupted } = dependencies;
  const spool = options.isDryRun
    ? undefined
    : await Spool.create(`${source.path}.rows-${process.pid}`);
  let [rows, bad, skipped] = [0, 0, 0];
  const skip = () => void skipped++;
  try {
    out(`${source.path}: ${encodingText(part)}, into ${collection}\n`);
    for await (const found of judgedRows(source, collection, options.reading, skip)) {
      if (interrupted.aborted) throw new Interrupted('nothing was written');
      rows++;
      if (rows <= SHOWN_ROWS) out(`  line ${found.line}: ${shortened(found.body)}\n`);
      if (found.problems.length > 0) {
        bad++;
        await report.add(source.name, found.problems);
      } else await spool?.add(found);
    }
    await spool?.finish();
  } catch (error) {
    await spool?.close();
    throw error;
  }
  const empty = skipped === 0 ? '' : `, ${skipped} empty lines skipped`;
  out(`${source.path}: ${rows} rows, ${rows - bad} good, ${bad} bad${empty}\n`);
  return { ...part, rows, bad, spool };
}

function encodingText({ source }: Part): string {
  const { encoding, notUtf8AtLine } = source;
  if (notUtf8AtLine === undefined) return encoding;
  return `${encoding} (line ${notUtf8AtLine} is not UTF-8; if letters look wrong below, pass --encoding)`;
}

function shortened(text: string): string {
  if (text === '') return '(bad, see below)';
  return text.length > SHOWN_MAX_CHARACTERS ? `${text.slice(0, SHOWN_MAX_CHARACTERS)}…` : text;
}

function showProblems(report: Report, options: ImportOptions, { out }: CommandDependencies): void {
  if (report.problems === 0) return;
  for (const found of report.shown) out(`  ${found.file}, ${problemText(found)}\n`);
  const alike = Math.max(report.ambiguous - 1, 0);
  const more = report.problems - report.shown.length - alike;
  const where = options.reportPath ?? 'the file that --report names';
  if (alike > 0) {
    out(
      `  ${report.ambiguous} numbers have two readings: pass --decimal , or --decimal . for all\n`,
    );
  }
  if (more > 0) out(`  and ${more} more, all of them in ${where}\n`);
}

/** Resolves with the number of rows that it left out: none where an earlier run has finished the part. */
async function send(
  part: JudgedPart,
  options: ImportOptions,
  service: Service,
  report: Report,
  dependencies: CommandDependencies,
): Promise<number> {
  const { source, collection, spool, rows, bad } = part;
  const { out, now, interrupted } = dependencies;
  if (spool === undefined) return 0;
  const records = service.records(options.account, collection);
  const journal = await ImportJournal.open(
    journalPath(part, options, service),
    taskOf(part, options, service),
    new Date(now()).toISOString(),
    async () => {
      const { items } = await service.patiently(() => records.list({ page_size: 1 }));
      return items[0] === undefined ? 0 : sequenceOf(collection, items[0].id);
    },
  );
  const total = spool.length;
  const already = journal.created.size;
  if (journal.finished !== undefined && already >= total) {
    const { at, created } = journal.finished;
    out(`${source.path} was imported on ${at} (${created} records); nothing to do\n`);
    await journal.close();
    return 0;
  }
  if (already > 0) out(`going on: ${already} of ${total} records are there from before\n`);
  const progress = startProgress(dependencies, {
    event: 'import_progress',
    noun: 'rows',
    total,
    done: already,
  });
  const begun = now();
  let refusals = 0;
  try {
    await sendRows({
      service,
      journal,
      spool,
      connections: options.connections,
      isReversed: options.isReversed,
      progress,
      interrupted,
      async refused({ line }, problem) {
        refusals++;
        await report.add(source.name, [{ line, column: '', problem, value: '' }]);
        if (options.skipsBad) return;
        throw new RowRefused(
          `${source.path}, line ${line}: the service refused the row: ${problem}; ${journal.created.size} of ${total} records are created; pass --skip-bad to go on without such rows`,
        );
      },
    });
    const created = journal.created.size;
    if (created + refusals < total) throw new Interrupted('stopped');
    const skipped = bad + refusals;
    await journal.finish({ at: new Date(now()).toISOString(), created, skipped });
    const seconds = (now() - begun) / 1000;
    const rate = seconds > 0 ? Math.round((created - already) / seconds) : created - already;
    out(
      `${source.path}: ${created - already} records created in ${seconds.toFixed(1)} s (${rate}/s), ${created} of ${rows} rows are in ${collection}${skipped > 0 ? `, ${skipped} left out` : ''}\n`,
    );
    return skipped;
  } catch (error) {
    if (error instanceof RowRefused) throw error;
    const sentence = `${sentenceOf(error)}; ${journal.created.size} of ${total} records are created; run the same command to go on`;
    throw error instanceof Interrupted ? new Interrupted(sentence) : new CommandError(sentence);
  } finally {
    progress.stop();
    await journal.close();
  }
}

/** The error for a file of which a part is imported. It says what to do. */
class RowRefused extends CommandError {}

/** Each target has a journal of its own: the same file may be imported into two accounts. */
function journalPath(part: Part, options: ImportOptions, service: Service): string {
  const place = JSON.stringify([service.baseUrl, options.account, part.collection]);
  const mark = createHash('sha256').update(place).digest('hex').slice(0, 12);
  return `${part.source.path}.import-${mark}`;
}

function taskOf(part: Part, options: ImportOptions, service: Service): ImportTask {
  const { map, delimiter, decimal } = options.reading;
  return {
    file: part.source.path,
    sha256: part.source.sha256,
    service: service.baseUrl,
    account: options.account,
    collection: part.collection,
    reading: JSON.stringify({
      map: Object.fromEntries(map),
      delimiter,
      decimal,
      encoding: part.source.encoding,
    }),
  };
}

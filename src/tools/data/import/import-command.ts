// `import`: judges every row first and then sends the rows. So a file is imported whole,
// or not at all, or up to a Ctrl-C, and no row is imported twice.

import type { CollectionName } from '../../../core/domain/collection-name.js';
import { sequenceOf } from '../../../core/domain/identifier.js';
import type { CommandDependencies } from '../../program/command-dependencies.js';
import { Interrupted } from '../../program/ending.js';
import { startProgress } from '../../program/progress.js';
import { CommandError, sentenceOf } from '../failures.js';
import type { Service } from '../service.js';
import { judgedRows, type LeftOut, type Reading } from './judged-rows.js';
import { type Part, planOf } from './plan.js';
import { problemText } from './problem.js';
import { Report } from './report.js';
import { sendRows } from './send-rows.js';
import { contentOf, settle, type Target, writesDecided } from './settle.js';
import { Staging } from './staging.js';
import { Suspicions } from './suspicions.js';

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

/** A part whose rows are staged. */
interface StagedPart extends Part {
  readonly staging: Staging;
  /** Whether rows of it may have been sent, by this run or an earlier one. */
  isBegun: boolean;
}

const RUN_BYTES = 8;
const SHOWN_ROWS = 3;
const SHOWN_MAX_CHARACTERS = 200;

/** Resolves with the exit code: 1 if a row is bad, or was left out because it is. */
export async function importData(
  options: ImportOptions,
  service: () => Service,
  dependencies: CommandDependencies,
): Promise<number> {
  const parts = await planOf(options);
  const report = await Report.open(options.reportPath);
  const staged: StagedPart[] = [];
  let isDone = false;
  try {
    if (!options.isDryRun) await service().reach();
    for (const part of parts) {
      const staging = Staging.open(taskOf(part, options, service), part.source.path);
      const isBegun = staging.fact('newest') !== undefined;
      staged.push({ ...part, staging, isBegun });
      if (!isBegun) await judge(part, staging, options, report, dependencies);
    }
    showProblems(report, options, dependencies);
    if (options.isDryRun) return report.badRows === 0 ? 0 : 1;
    if (report.badRows > 0 && !options.skipsBad) {
      throw new CommandError(
        'nothing was written; correct the rows, or pass --skip-bad to leave them out',
      );
    }
    const run = `import-${Buffer.from(dependencies.randomBytes(RUN_BYTES)).toString('hex')}`;
    for (const part of staged) await prepare(part, options, service(), dependencies, run);
    let leftOut = 0;
    for (const part of staged) {
      part.isBegun = true;
      leftOut += await send(part, options, service(), report, dependencies);
    }
    isDone = true;
    return leftOut === 0 ? 0 : 1;
  } finally {
    for (const { staging, isBegun } of staged) {
      if (isBegun && !isDone) staging.close();
      else staging.delete();
    }
    await report.close();
  }
}

/** Another file, another target, or another reading is another import. */
function taskOf(part: Part, { isDryRun, account, reading }: ImportOptions, service: () => Service) {
  const { source, collection } = part;
  const { path, sha256, encoding } = source;
  const how = { ...reading, map: [...reading.map], encoding };
  if (isDryRun) return { dryRun: process.pid, path };
  return { path, sha256, service: service().baseUrl, account, collection, how };
}

async function judge(
  { source, collection }: Part,
  staging: Staging,
  { reading }: ImportOptions,
  report: Report,
  { out, interrupted }: CommandDependencies,
): Promise<void> {
  const leftOut: LeftOut = { empty: 0, aboveHeader: 0 };
  const suspicions = new Suspicions(collection);
  let [rows, bad] = [0, 0];
  out(`${source.path}: ${encodingText(source, reading)}into ${collection}\n`);
  async function* good() {
    for await (const { line, record, body, problems } of judgedRows(
      source,
      collection,
      reading,
      leftOut,
    )) {
      if (interrupted.aborted) throw new Interrupted('nothing was written');
      rows++;
      if (rows <= SHOWN_ROWS) out(`  line ${line}: ${shortened(body)}\n`);
      suspicions.add(line, record);
      if (problems.length === 0) yield { line, body, content: contentOf(collection, record) };
      else {
        bad++;
        await report.add(source.name, problems);
      }
    }
  }
  await staging.fill(good());
  staging.setFact('judged', JSON.stringify({ rows, bad }));
  const { empty, aboveHeader } = leftOut;
  const above = aboveHeader === 0 ? '' : `, ${aboveHeader} lines above the header left out`;
  const skipped = empty === 0 ? '' : `, ${empty} empty lines skipped`;
  out(`${source.path}: ${rows} rows, ${rows - bad} good, ${bad} bad${above}${skipped}\n`);
  for (const found of suspicions.sentences(staging.equalRows())) out(`  warning: ${found}\n`);
}

function encodingText({ encoding, notUtf8AtLine }: Part['source'], { sheet }: Reading): string {
  if (encoding === '') return sheet === undefined ? '' : `sheet ${JSON.stringify(sheet)}, `;
  if (notUtf8AtLine === undefined) return `${encoding}, `;
  return `${encoding} (line ${notUtf8AtLine} is not UTF-8; if letters look wrong below, pass --encoding), `;
}

function shortened(text: string): string {
  if (text === '') return '(bad, see below)';
  return text.length > SHOWN_MAX_CHARACTERS ? `${text.slice(0, SHOWN_MAX_CHARACTERS)}…` : text;
}

function showProblems(report: Report, options: ImportOptions, { out }: CommandDependencies): void {
  for (const found of report.shown) out(`  ${found.file}, ${problemText(found)}\n`);
  for (const [option, count] of report.undecided) {
    if (count > 1) out(`  ${count} values have two readings: pass ${option} for all\n`);
  }
  const where = options.reportPath ?? 'the file that --report names';
  if (report.unshown > 0) out(`  and ${report.unshown} more, all of them in ${where}\n`);
}

/** Before the first row is sent: what does the account have already? */
async function prepare(
  { source, collection, staging, isBegun }: StagedPart,
  { account, existing }: ImportOptions,
  service: Service,
  { out, interrupted }: CommandDependencies,
  run: string,
): Promise<void> {
  const target: Target = { service, account, collection };
  staging.setAll('open', 'unsure');
  if (isBegun) {
    // An earlier run was broken off: rows that it sent may be records.
    await writesDecided(service, interrupted);
    await settle(target, staging, Number(staging.fact('newest')), 'created');
    out(
      `resuming: ${staging.count('created')} of ${staging.count()} records are created already\n`,
    );
    return;
  }
  const { items } = await service.patiently(() =>
    service.records(account, collection).list({ page_size: 1 }),
  );
  if (items.length === 0) out(`the account ${JSON.stringify(account)} has no ${collection} yet\n`);
  const found = await settle(target, staging, 0, 'there');
  if (existing === 'create') staging.setAll('there', 'open');
  else if (found > 0 && existing === undefined) {
    throw new CommandError(
      `nothing was written: ${found} of ${staging.count()} rows of ${source.path} are in ${collection} of the account already, as equal records; pass --existing skip to leave them out, or --existing create to create them once more`,
    );
  }
  const [newest] = items;
  staging.setFact('run', run);
  staging.setFact('newest', String(newest ? sequenceOf(collection, newest.id) : 0));
}

/** Resolves with the number of rows that it left out because they are bad. */
async function send(
  { source, collection, staging }: StagedPart,
  options: ImportOptions,
  service: Service,
  report: Report,
  dependencies: CommandDependencies,
): Promise<number> {
  const { out, now, interrupted } = dependencies;
  const { rows, bad } = JSON.parse(staging.fact('judged') ?? '{}');
  const already = staging.count('created');
  const there = staging.count('there');
  const total = staging.count() - there;
  const progress = startProgress(dependencies, {
    event: 'import_progress',
    noun: 'rows',
    total,
    done: already,
  });
  const begun = now();
  try {
    await sendRows({
      target: {
        service: service.forRun(staging.fact('run') ?? ''),
        account: options.account,
        collection,
      },
      staging,
      newest: Number(staging.fact('newest')),
      connections: options.connections,
      isReversed: options.isReversed,
      progress,
      interrupted,
      async refused({ row, line }, problem) {
        await report.add(source.name, [{ line, column: '', problem, value: '' }]);
        if (options.skipsBad) return staging.set(row, 'refused');
        throw new CommandError(
          `line ${line}: the service refused the row: ${problem}; pass --skip-bad to leave such rows out`,
        );
      },
    });
    if (staging.count('open') + staging.count('unsure') > 0) throw new Interrupted('stopped');
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

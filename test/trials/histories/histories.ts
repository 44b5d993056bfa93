// Histories: the answers to many concurrent clients, under every fault that we
// know how to make, judged by Porcupine, a checker that knows nothing of the
// service. Controls show that it sees a violation where one is.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, type TrialOptions, verdictOf } from '../trial.js';
import { ALTERATIONS } from './alterations.js';
import { buildChecker, type Checker, goIsMissing, isLegal, type Model } from './checker.js';
import { NEWEST_DELETED, NO_FAULT, NODE_FAULTS, RESTARTS } from './node-faults.js';
import { POSTGRES_FAULTS } from './postgres-faults.js';
import { type Header, type Operation, writeHistory } from './recorder.js';
import { WORKER_FAULTS, WORKER_NEWEST_DELETED } from './worker-faults.js';
import type { Amount, Fault, Faulted } from './world.js';

const AMOUNTS = {
  small: { operations: 500, rounds: 3, clients: 4 },
  quick: { operations: 1_200, rounds: 4 },
  usual: { operations: 10_000, rounds: 12 },
} satisfies Record<string, Amount>;
/** A long run is cut into histories of this many operations: a model's search must stay in memory. */
const HISTORY_MAX_OPERATIONS = 2_500;
/** While it runs; the report has all of it. */
const SAID_MAX_CHARACTERS = 400;
const MODELS: readonly Model[] = ['record', 'account', 'ids'];

/** Everything: the runs, then the controls. */
export async function histories(options: TrialOptions): Promise<Finding[]> {
  const amount = options.quick ? AMOUNTS.quick : AMOUNTS.usual;
  return judgedBy(options, async (trial) => {
    for (const fault of NODE_FAULTS) await trial.run(fault, MODELS, amount);
    await trial.run(NEWEST_DELETED, ['ids'], amount);
    const less = { ...amount, operations: amount.operations / 3, rounds: amount.rounds / 2 };
    for (const fault of WORKER_FAULTS) await trial.run(fault, MODELS, less);
    await trial.run(WORKER_NEWEST_DELETED, ['ids'], less);
    for (const fault of POSTGRES_FAULTS) await trial.run(fault, MODELS, less);
    await trial.altered();
  });
}

/** Some seconds, for every change of the code: what needs neither a tracer nor the platform's runtime. */
export async function smallHistories(options: TrialOptions): Promise<Finding[]> {
  return judgedBy(options, async (trial) => {
    for (const fault of RESTARTS) await trial.run(fault, MODELS, AMOUNTS.small);
    await trial.run(NEWEST_DELETED, ['ids'], AMOUNTS.small);
    await trial.altered();
  });
}

async function judgedBy(
  options: TrialOptions,
  make: (trial: HistoryTrial) => Promise<void>,
): Promise<Finding[]> {
  const missing = goIsMissing();
  if (missing !== undefined) {
    return [{ fault: 'histories', tried: 'not tried', found: missing, holds: undefined }];
  }
  const trial = new HistoryTrial(options, buildChecker(options.folder));
  await make(trial);
  return trial.findings;
}

class HistoryTrial {
  readonly findings: Finding[] = [];
  readonly #options: TrialOptions;
  readonly #checker: Checker;
  #histories = 0;

  constructor(options: TrialOptions, checker: Checker) {
    this.#options = options;
    this.#checker = checker;
  }

  /** Makes histories under a fault and has each judged by each model. */
  async run(fault: Fault, models: readonly Model[], amount: Amount): Promise<void> {
    const name = `fault: ${fault.name}`;
    if (!this.#isWanted(name)) return;
    const missing = fault.missing?.();
    if (missing !== undefined) return this.#tell(name, 'not tried', missing, undefined);
    const times = Math.ceil(amount.operations / HISTORY_MAX_OPERATIONS);
    const { operations: wanted, rounds } = amount;
    const each = { operations: wanted / times, rounds: Math.ceil(rounds / times) };
    const bad: string[] = [];
    const judged = new Map<Model, number>();
    let [operations, restarts, unclear, refused] = [0, 0, 0, 0];
    let came = '';
    for (let time = 0; time < times; time++) {
      const history = await this.#made((folder) => fault.run(folder, each));
      operations += history.operations.length;
      restarts += history.restarts;
      unclear += history.operations.filter(({ code }) => code === 0).length;
      refused += history.refusals;
      came = history.came;
      for (const model of models) {
        const verdict = await this.#judged(model, history);
        judged.set(model, (judged.get(model) ?? 0) + verdict.parts);
        if (isLegal(verdict)) continue;
        const { illegal, undecided, parts, part, smallest = [] } = verdict;
        const lines = [`${model}: ${illegal} of ${parts} illegal, ${undecided} undecided`];
        if (part !== undefined) lines.push(`the smallest, of ${part}:`, ...smallest);
        bad.push(lines.join('\n             '));
      }
    }
    const tried = [
      came,
      `${operations} operations`,
      `${restarts} restarts`,
      `${unclear} unclear writes`,
      ...(refused > 0 ? [`${refused} refused without effect`] : []),
    ];
    const parts = [...judged].map(([model, count]) => `${model} ${count}`).join(', ');
    this.#tell(
      name,
      tried.filter((text) => text !== '').join(', '),
      bad.length === 0 ? `all legal (histories by model: ${parts})` : bad.join('\n           '),
      // A history that the checker could not decide in time doesn't hold either.
      bad.length === 0,
    );
  }

  /** Alters a history, one thing at a time: each must be detected. */
  async altered(): Promise<void> {
    const name = 'control: altered histories';
    if (!this.#isWanted(name)) return;
    const missed: string[] = [];
    const history = await this.#made((folder) => NO_FAULT.run(folder, AMOUNTS.small));
    for (const { name: what, model, alter } of ALTERATIONS) {
      const operations = structuredClone([...history.operations]);
      if (!alter(operations)) missed.push(`"${what}" finds nothing to alter`);
      else if ((await this.#judged(model, { ...history, operations }, false)).illegal === 0)
        missed.push(what);
    }
    this.#tell(
      name,
      `${ALTERATIONS.length} alterations`,
      missed.length === 0 ? 'each is caught' : `not caught: ${missed.join('; ')}`,
      missed.length === 0,
    );
  }

  async #made(make: (folder: string) => Promise<Faulted>): Promise<Made> {
    const folder = join(this.#options.folder, `history-${++this.#histories}`);
    mkdirSync(folder, { recursive: true });
    const { world, came } = await make(folder);
    try {
      await world.settle();
    } finally {
      await world.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    }
    const { header, recorder, restarts, load } = world;
    const { operations } = recorder;
    return { header, operations, restarts, refusals: load.refusals, came };
  }

  async #judged(model: Model, { header, operations }: Judgeable, shrinks = true) {
    const path = join(this.#options.folder, 'history.jsonl');
    writeHistory(path, header, operations);
    return this.#checker(model, path, shrinks);
  }

  #isWanted(name: string): boolean {
    return name.includes(this.#options.only);
  }

  #tell(fault: string, tried: string, found: string, holds: boolean | undefined): void {
    const finding = { fault, tried, found, holds };
    const text = found.slice(0, SAID_MAX_CHARACTERS);
    this.#options.say(`${fault}: ${verdictOf(finding)}, ${tried}: ${text}`);
    this.findings.push(finding);
  }
}

type Judgeable = Pick<Made, 'header' | 'operations'>;

interface Made {
  readonly header: Header;
  readonly operations: readonly Operation[];
  readonly restarts: number;
  readonly refusals: number;
  readonly came: string;
}

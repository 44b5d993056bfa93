// Histories: the answers to many concurrent clients, under every fault that we
// know how to make, judged by Porcupine, a checker that knows nothing of the
// service. Controls show that it sees a violation where one is.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { planted } from '../service/changed-server.js';
import { type Finding, type TrialOptions, verdictOf } from '../trial.js';
import { ALTERATIONS } from './alterations.js';
import { buildChecker, type Checker, goIsMissing, isLegal, type Model } from './checker.js';
import { MUTANTS } from './mutants.js';
import {
  type Amount,
  type Fault,
  NEWEST_DELETED,
  NODE_FAULTS,
  SLOW_AND_KILLED,
} from './node-faults.js';
import type { World } from './node-world.js';
import { POSTGRES_FAULTS } from './postgres-faults.js';
import { type Header, type Operation, unclearOf, writeHistory } from './recorder.js';
import {
  WORKER_ALTERATIONS,
  WORKER_FAULTS,
  WORKER_MUTANTS,
  WORKER_NEWEST_DELETED,
} from './worker-faults.js';

const AMOUNTS = {
  small: { operations: 500, rounds: 3, clients: 4 },
  quick: { operations: 1_200, rounds: 4 },
  usual: { operations: 10_000, rounds: 12 },
  long: { operations: 200_000, rounds: 150 },
} satisfies Record<string, Amount>;
const SMALL_FAULTS = new Set(['none', 'kill -9', 'kill -9 while stopping and while starting']);
/** A long run is cut into histories of this many operations: a model's search must stay in memory. */
const HISTORY_MAX_OPERATIONS = 2_500;
/** While it runs; the report has all of it. */
const SAID_MAX_CHARACTERS = 400;
const CONTROL: Amount = { operations: 1_500, rounds: 6, clients: 5 };
/** A defect that appears only by chance gets more attempts. */
const MUTANT_CHANCES = 4;
const NODE_MODELS: readonly Model[] = ['record', 'account', 'operator', 'ids'];
const WORKER_MODELS: readonly Model[] = ['record', 'account', 'directory', 'ids'];

/** Everything: the runs, then the controls. */
export async function histories(options: TrialOptions): Promise<Finding[]> {
  const { quick, long = false } = options;
  const amount = long ? AMOUNTS.long : quick ? AMOUNTS.quick : AMOUNTS.usual;
  return judgedBy(options, async (trial) => {
    for (const fault of NODE_FAULTS) await trial.run(fault, NODE_MODELS, amount);
    await trial.run(NEWEST_DELETED, ['ids'], amount);
    const less = { ...amount, operations: amount.operations / 3, rounds: amount.rounds / 2 };
    for (const fault of WORKER_FAULTS) await trial.run(fault, WORKER_MODELS, less);
    await trial.run(WORKER_NEWEST_DELETED, ['ids'], less);
    for (const fault of POSTGRES_FAULTS) await trial.run(fault, NODE_MODELS, less);
    await trial.altered(NODE_FAULTS[0], ALTERATIONS);
    await trial.altered(WORKER_FAULTS[0], WORKER_ALTERATIONS);
    await trial.planted();
  });
}

/** Some seconds, for every change of the code: what needs neither a tracer nor the platform's runtime. */
export async function smallHistories(options: TrialOptions): Promise<Finding[]> {
  return judgedBy(options, async (trial) => {
    const models: readonly Model[] = ['record', 'account', 'operator'];
    for (const fault of NODE_FAULTS) {
      if (SMALL_FAULTS.has(fault.name)) await trial.run(fault, models, AMOUNTS.small);
    }
    await trial.run(NEWEST_DELETED, ['ids'], AMOUNTS.small);
    await trial.altered(NODE_FAULTS[0], ALTERATIONS);
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
    let [operations, restarts, unclear, happened, refused] = [0, 0, 0, 0, 0];
    let came = '';
    let isIllegal = false;
    for (let time = 0; time < times; time++) {
      const history = await this.#made((folder) => fault.run(folder, each));
      const unclearHere = unclearOf(history.operations);
      operations += history.operations.length;
      restarts += history.restarts;
      unclear += unclearHere.count;
      happened += unclearHere.happened;
      refused += history.refusals;
      came = history.came;
      for (const model of models) {
        const verdict = await this.#judged(model, history);
        judged.set(model, (judged.get(model) ?? 0) + verdict.parts);
        if (isLegal(verdict)) continue;
        const { illegal, undecided, parts, part, smallest = [] } = verdict;
        isIllegal ||= illegal > 0;
        const lines = [`${model}: ${illegal} of ${parts} illegal, ${undecided} undecided`];
        if (part !== undefined) lines.push(`the smallest, of ${part}:`, ...smallest);
        bad.push(lines.join('\n             '));
      }
    }
    const tried = [
      came,
      `${operations} operations`,
      `${restarts} restarts`,
      `${unclear} unclear writes (${happened} seen to have happened)`,
      ...(refused > 0 ? [`${refused} refused without effect`] : []),
    ];
    const parts = [...judged].map(([model, count]) => `${model} ${count}`).join(', ');
    this.#tell(
      name,
      tried.filter((text) => text !== '').join(', '),
      bad.length === 0 ? `all legal (histories by model: ${parts})` : bad.join('\n           '),
      // A history on which the checker ran out of time is inconclusive.
      bad.length === 0 ? true : isIllegal ? false : undefined,
    );
  }

  /** Alters a history, one thing at a time: each must be detected. */
  async altered(fault: Fault | undefined, alterations: typeof ALTERATIONS): Promise<void> {
    const name = `control: altered histories, ${fault?.name}`;
    if (fault === undefined || !this.#isWanted(name)) return;
    const missed: string[] = [];
    const history = await this.#made((folder) => fault.run(folder, AMOUNTS.small));
    for (const model of new Set(alterations.map((alteration) => alteration.model))) {
      const { illegal } = await this.#judged(model, history);
      if (illegal > 0) missed.push(`unaltered, ${model} is not legal`);
    }
    for (const { name: what, model, alter } of alterations) {
      const operations = structuredClone([...history.operations]);
      if (!alter(operations)) missed.push(`"${what}" finds nothing to alter`);
      else if ((await this.#judged(model, { ...history, operations }, false)).illegal === 0)
        missed.push(what);
    }
    this.#tell(
      name,
      `${alterations.length} alterations`,
      missed.length === 0 ? 'each is caught' : `not caught: ${missed.join('; ')}`,
      missed.length === 0,
    );
  }

  /** Plants defects into the service: each must be detected in its histories. */
  async planted(): Promise<void> {
    const faults = [...NODE_FAULTS, SLOW_AND_KILLED, ...POSTGRES_FAULTS];
    for (const mutant of MUTANTS) {
      const fault = faults.find(({ name }) => name === mutant.fault);
      if (fault === undefined) throw new Error(`no fault ${mutant.fault}`);
      await this.#caught(mutant.name, mutant.model, fault.missing?.(), (folder) => {
        const script = planted(join(folder, 'build'), mutant);
        return fault.run(join(folder, 'life'), CONTROL, script);
      });
    }
    for (const { name, run } of WORKER_MUTANTS) {
      await this.#caught(name, 'directory', undefined, (folder) => run(folder, CONTROL));
    }
  }

  async #caught(
    what: string,
    model: Model,
    missing: string | undefined,
    make: Make,
  ): Promise<void> {
    const name = `control: ${what}`;
    if (!this.#isWanted(name)) return;
    if (missing !== undefined) return this.#tell(name, 'not tried', missing, undefined);
    for (let chance = 1; chance <= MUTANT_CHANCES; chance++) {
      const history = await this.#made(make);
      const { illegal, part, smallest = [] } = await this.#judged(model, history);
      if (illegal === 0) continue;
      const tried = `${chance} histories, the last of ${history.operations.length} operations`;
      const found = `caught by the model of ${model}: ${smallest.length} operations of ${part} show it`;
      return this.#tell(name, tried, found, true);
    }
    this.#tell(name, `${MUTANT_CHANCES} histories`, `NOT caught by the model of ${model}`, false);
  }

  async #made(make: Make): Promise<Made> {
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
    return name.includes(this.#options.only ?? '');
  }

  #tell(fault: string, tried: string, found: string, holds: boolean | undefined): void {
    const finding = { fault, tried, found, holds };
    const text = found.slice(0, SAID_MAX_CHARACTERS);
    this.#options.say(`${fault}: ${verdictOf(finding)}, ${tried}: ${text}`);
    this.findings.push(finding);
  }
}

type Judgeable = Pick<Made, 'header' | 'operations'>;
type Make = (folder: string) => Promise<{ world: World; came: string }>;

interface Made {
  readonly header: Header;
  readonly operations: readonly Operation[];
  readonly restarts: number;
  readonly refusals: number;
  readonly came: string;
}

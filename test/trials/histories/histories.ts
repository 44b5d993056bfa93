// The trial `histories`: the responses to many concurrent clients, under every fault that we know
// how to inject, checked by Porcupine, which shares no code with the service. Controls show that it
// detects violations.

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeHistory } from '../load/recorder.js';
import { type Finding, notTried, type Trial, type TrialOptions } from '../trial.js';
import { ALTERATIONS } from './alterations.js';
import { buildChecker, type Checker, goIsMissing, type Model } from './checker.js';
import type { Amount, Fault, Faulted } from './deployment.js';
import { NO_FAULT, NODE_FAULTS, RESTARTS, WORKER_FAULTS } from './one-process.js';
import { POSTGRES_FAULTS } from './postgres-faults.js';

const AMOUNTS = {
  small: { operations: 500, rounds: 3, clients: 4 },
  quick: { operations: 1_200, rounds: 4 },
  usual: { operations: 10_000, rounds: 12 },
} satisfies Record<string, Amount>;
/** A long run is cut into histories of this many operations to keep a search in memory. */
const HISTORY_MAX_OPERATIONS = 2_500;
/** Maximum length of a progress message; the report has the whole text. */
const SAID_MAX_CHARACTERS = 400;
const MODELS: readonly Model[] = ['record', 'account', 'ids'];

export const histories: Trial = async (options) => {
  const missing = goIsMissing();
  if (missing !== undefined) return [notTried('histories', missing)];
  const checker = buildChecker(options.folder);
  const amount: Amount = AMOUNTS[options.size];
  const less = { ...amount, operations: amount.operations / 3, rounds: amount.rounds / 2 };
  const faults = (all: readonly Fault[], how: Amount) => all.map((fault) => [fault, how] as const);
  const runs =
    options.size === 'small'
      ? // Only faults that need neither a tracer nor the platform's runtime.
        faults(RESTARTS, amount)
      : [...faults(NODE_FAULTS, amount), ...faults([...WORKER_FAULTS, ...POSTGRES_FAULTS], less)];
  const findings: Finding[] = [];
  const tell = (finding: Finding) => {
    const { fault, tried, found, holds } = finding;
    options.say(
      `${fault}: ${holds ?? 'not tried'}, ${tried}: ${found.slice(0, SAID_MAX_CHARACTERS)}`,
    );
    findings.push(finding);
  };
  for (const [fault, how] of runs) {
    const name = `fault: ${fault.name}`;
    if (!name.includes(options.only)) continue;
    const unavailable = fault.missing?.();
    if (unavailable !== undefined) tell(notTried(name, unavailable));
    else tell({ fault: name, ...(await underFault(fault, how, options, checker)) });
  }
  const control = 'control: altered histories';
  if (control.includes(options.only)) {
    tell({ fault: control, ...(await altered(options, checker)) });
  }
  return findings;
};

type Outcome = Omit<Finding, 'fault'>;

/** Makes histories under a fault and has each checked by each model. */
async function underFault(
  fault: Fault,
  amount: Amount,
  options: TrialOptions,
  checker: Checker,
): Promise<Outcome> {
  const times = Math.ceil(amount.operations / HISTORY_MAX_OPERATIONS);
  const each = {
    ...amount,
    operations: amount.operations / times,
    rounds: Math.ceil(amount.rounds / times),
  };
  const bad: string[] = [];
  const checked = new Map<Model, number>();
  let [operations, restarts, unclear, refused, came] = [0, 0, 0, 0, ''];
  for (let time = 0; time < times; time++) {
    const history = await made(options, (folder) => fault.run(folder, each));
    operations += history.operations.length;
    restarts += history.restarts;
    unclear += history.operations.filter(({ code }) => code === 0).length;
    refused += history.refusals;
    came = history.came;
    for (const model of fault.models ?? MODELS) {
      const path = join(options.folder, 'history.jsonl');
      writeHistory(path, history.header, history.operations);
      const verdict = await checker(model, path);
      const { illegal, undecided, parts, part, smallest = [] } = verdict;
      checked.set(model, (checked.get(model) ?? 0) + parts);
      // A history that the checker can't decide in time doesn't hold, either.
      if (illegal + undecided === 0) continue;
      const lines = [`${model}: ${illegal} of ${parts} illegal, ${undecided} undecided`];
      if (part !== undefined) lines.push(`the smallest, of ${part}:`, ...smallest);
      bad.push(lines.join('\n             '));
    }
  }
  const tried = [
    ...(came === '' ? [] : [came]),
    ...[`${operations} operations`, `${restarts} restarts`, `${unclear} unclear writes`],
    ...(refused > 0 ? [`${refused} refused without effect`] : []),
  ];
  const parts = [...checked].map(([model, count]) => `${model} ${count}`).join(', ');
  return {
    tried: tried.join(', '),
    found: bad.join('\n           ') || `all legal (histories by model: ${parts})`,
    holds: bad.length === 0,
  };
}

/** Alters a history, one thing at a time: each must be detected. */
async function altered(options: TrialOptions, checker: Checker): Promise<Outcome> {
  const missed: string[] = [];
  const history = await made(options, (folder) => NO_FAULT.run(folder, AMOUNTS.small));
  const path = join(options.folder, 'altered.jsonl');
  for (const { name, model, alter } of ALTERATIONS) {
    const operations = structuredClone([...history.operations]);
    if (!alter(operations)) missed.push(`"${name}" finds nothing to alter`);
    writeHistory(path, history.header, operations);
    if ((await checker(model, path, false)).illegal === 0) missed.push(name);
  }
  return {
    tried: `${ALTERATIONS.length} alterations`,
    found: missed.length === 0 ? 'each is caught' : `not caught: ${missed.join('; ')}`,
    holds: missed.length === 0,
  };
}

async function made(options: TrialOptions, make: (folder: string) => Promise<Faulted>) {
  const folder = mkdtempSync(join(options.folder, 'history-'));
  const { deployment, came } = await make(folder);
  try {
    await deployment.settle();
  } finally {
    await deployment.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
  const { header, recorder, restarts, load } = deployment;
  const { operations } = recorder;
  return { header, operations, restarts, refusals: load.refusals, came };
}

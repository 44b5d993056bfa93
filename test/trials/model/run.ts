// A run against the model: several accounts and the operator at the same time,
// with refused commits and restarts; afterwards everything is looked at.

import fc from 'fast-check';
import type { Collection, JsonRecord } from './account-model.js';
import { AccountModel, COLLECTIONS, RULES } from './account-model.js';
import type { Step } from './commands.js';
import { REFUSED, steps } from './commands.js';
import type { Fetch } from './exchange.js';
import { exchange, must, OPERATOR } from './exchange.js';
import { firstDifference } from './first-difference.js';
import type { Host } from './hosts.js';
import { Lane } from './lane.js';
import { checkViews } from './views.js';

const SAMPLES_OWNER = 'local-preview';
const ACCOUNTS = 4;
const STEPS_MAX = 5;
const COMMANDS_A_STEP = 30;
/** Runs at the same time, each with a service of its own: most of a run is waiting for the disk. */
const RUNS_AT_ONCE = 6;

/** What the accounts of a run share. */
export interface Shared {
  fetch: Fetch;
  /** Whether some write under way is one that the database refuses. */
  mayFail: () => boolean;
  /** The highest number that was given. */
  sequences: Map<Collection, number>;
  /** Every id that is or was given since the last start. */
  ids: Set<string>;
  counts: Record<'commands' | 'refused' | 'events', number>;
}

export type Tally = {
  runs: number;
  commands: number;
  refused: number;
  events: number;
  restarts: number;
  failure: string | undefined;
};

/**
 * Generated runs, each on a new database, until so many commands were sent or
 * one found a difference; its seed makes the same run again.
 */
export async function runsOf({
  host,
  folder,
  commands,
  say = () => {},
  seed = Date.now(),
}: {
  host: Host;
  folder: string;
  commands: number;
  say?: (text: string) => void;
  seed?: number;
}): Promise<Tally> {
  const tally: Tally = {
    runs: 0,
    commands: 0,
    refused: 0,
    events: 0,
    restarts: 0,
    failure: undefined,
  };
  const property = fc.asyncProperty(
    steps({ accounts: ACCOUNTS, steps: STEPS_MAX, commands: COMMANDS_A_STEP }),
    async (run) => {
      const running = await host(folder);
      try {
        await oneRun(running, run, tally);
      } finally {
        await running.close();
      }
      tally.runs++;
      if (tally.runs % 50 === 0) say(`${tally.commands} commands in ${tally.runs} runs`);
    },
  );
  let checks = 0;
  const keepRunning = async () => {
    while (tally.commands < commands && tally.failure === undefined) {
      // Not made smaller: what happens at the same time does not happen the same way twice.
      const options = { numRuns: 1, seed: seed + checks++, endOnFailure: true };
      const { failed, errorInstance } = await fc.check(property, options);
      if (failed) tally.failure = `${errorInstance} (seed ${options.seed})`;
    }
  };
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, keepRunning));
  return tally;
}

async function oneRun(running: Awaited<ReturnType<Host>>, run: readonly Step[], tally: Tally) {
  let mayFail = false;
  const shared: Shared = {
    fetch: (path, init) => running.fetch(path, init),
    mayFail: () => mayFail,
    sequences: new Map(),
    ids: new Set(),
    counts: tally,
  };
  const samples = await storedAccount(shared.fetch, SAMPLES_OWNER);
  const lanes = Array.from({ length: ACCOUNTS }, (_, i) => new Lane(`tenant-${i}`, shared));
  const models = [samples, ...lanes.map(({ model }) => model)];
  countIds(models, shared);
  for (const step of run) {
    mayFail = JSON.stringify(step).includes(REFUSED);
    for (const lane of lanes)
      lane.strangers = idsOf(models.filter((model) => model !== lane.model));
    // All lanes to their end, so that nothing goes on when one of them has failed.
    const ends = await Promise.allSettled(lanes.map((lane, i) => lane.run(step.lanes[i] ?? [])));
    const failed = ends.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    if (step.end === 'restart') {
      await running.restart();
      tally.restarts++;
      countIds(models, shared);
    }
    await checkViews(shared.fetch, models, lanes);
    await checkRecords(shared.fetch, models);
  }
}

/** Every record of every account, as it is listed. */
async function checkRecords(fetch: Fetch, models: readonly AccountModel[]) {
  for (const model of models) {
    const stored = await storedAccount(fetch, model.subject);
    for (const collection of COLLECTIONS) {
      const [found, wanted] = [stored, model].map((side) => side.matching(collection, {}));
      const difference = firstDifference(found, wanted, { isOrdered: true });
      must(difference === undefined, `${collection} of ${model.subject}: ${difference}`);
    }
  }
}

/** What the service holds of an account, read by the operator. */
async function storedAccount(fetch: Fetch, subject: string) {
  const model = new AccountModel(subject);
  for (const collection of COLLECTIONS) {
    const path = `/admin/accounts/${subject}/${collection}?page_size=200`;
    const { data } = await exchange(fetch, OPERATOR, 'GET', path);
    for (const record of (data as JsonRecord[]).toReversed())
      model.put(collection, String(record['id']), record);
  }
  return model;
}

/** As the service does at its start: the highest number that is stored counts, and no other. */
function countIds(models: readonly AccountModel[], shared: Shared) {
  shared.ids = new Set(idsOf(models));
  shared.sequences = new Map(
    COLLECTIONS.map((collection) => {
      const { prefix } = RULES[collection];
      const numbers = models.flatMap((model) =>
        model.ids(collection).map((id) => Number(id.slice(prefix.length))),
      );
      return [collection, Math.max(0, ...numbers)] as [Collection, number];
    }),
  );
}

function idsOf(models: readonly AccountModel[]) {
  return models.flatMap((model) => COLLECTIONS.flatMap((name) => model.ids(name)));
}

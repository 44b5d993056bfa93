// A run: several accounts and the operator at the same time, with refused commits and
// restarts. After each step all records and views are compared with the models.

import { COLLECTIONS, type CollectionName, ROW_OF } from '../../support/collection-table.js';
import { newSeed, type Random, randomFrom } from '../load/random.js';
import type { JsonRecord } from './account-model.js';
import { AccountModel } from './account-model.js';
import { Commands, REFUSED, WORDS } from './commands.js';
import type { Fetch } from './exchange.js';
import { exchange, OPERATOR, same } from './exchange.js';
import type { Host } from './hosts.js';
import { Lane } from './lane.js';
import { checkViews } from './views.js';

const SAMPLES_OWNER = 'local-preview';
const ACCOUNTS = 4;
const STEPS_MAX = 5;
const COMMANDS_A_STEP = 30;
/** The number of runs side by side, each with its own service: a run mostly waits for the disk. */
const RUNS_AT_ONCE = 6;

/** The state that the accounts of a run share. */
export interface Shared {
  fetch: Fetch;
  /** Whether this step has a write that the database refuses. */
  mayFail: () => boolean;
  /** The highest number in an id so far, for each collection. */
  sequences: Map<CollectionName, number>;
  /** Every id that the service gave since its last start. */
  ids: Set<string>;
  counts: Record<'commands' | 'refused' | 'events', number>;
}

export type RunTotals = {
  runs: number;
  commands: number;
  refused: number;
  events: number;
  restarts: number;
  failure: string | undefined;
};

export interface RunOptions {
  readonly host: Host;
  readonly folder: string;
  readonly commands: number;
  readonly say?: (text: string) => void;
}

/**
 * Makes random runs, each on a new database, until this many commands are sent or a difference
 * is found. The seed in the message generates the same run again.
 */
export async function runsOf({ host, folder, commands, say }: RunOptions): Promise<RunTotals> {
  const counts = { runs: 0, commands: 0, refused: 0, events: 0, restarts: 0 };
  const totals: RunTotals = { ...counts, failure: undefined };
  const keepRunning = async () => {
    while (totals.commands < commands && totals.failure === undefined) {
      const seed = newSeed();
      const running = await host(folder);
      try {
        await oneRun(running, randomFrom(seed), totals);
      } catch (error) {
        totals.failure = `${error} (seed ${seed})`;
      } finally {
        await running.close();
      }
      totals.runs++;
      if (totals.runs % 50 === 0) say?.(`${totals.commands} commands in ${totals.runs} runs`);
    }
  };
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, keepRunning));
  return totals;
}

async function oneRun(running: Awaited<ReturnType<Host>>, random: Random, totals: RunTotals) {
  const commands = new Commands(random, WORDS, true);
  let mayFail = false;
  const shared: Shared = {
    fetch: (path, init) => running.fetch(path, init),
    mayFail: () => mayFail,
    sequences: new Map(),
    ids: new Set(),
    counts: totals,
  };
  const samples = await storedAccount(shared.fetch, SAMPLES_OWNER);
  const lanes = Array.from({ length: ACCOUNTS }, (_, i) => new Lane(`tenant-${i}`, shared));
  const models = [samples, ...lanes.map(({ model }) => model)];
  countIds(models, shared);
  for (let step = random.between(1, STEPS_MAX); step > 0; step--) {
    const chosen = lanes.map(() => Array.from({ length: COMMANDS_A_STEP }, () => commands.next()));
    mayFail = JSON.stringify(chosen).includes(REFUSED);
    for (const lane of lanes)
      lane.strangers = idsOf(models.filter((model) => model !== lane.model));
    // Waits for all lanes, so that none continues after another has failed.
    const ends = await Promise.allSettled(lanes.map((lane, i) => lane.run(chosen[i] ?? [])));
    const failed = ends.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    if (random.chance(0.5)) {
      await running.restart();
      totals.restarts++;
      countIds(models, shared);
    }
    await checkViews(shared.fetch, models, lanes);
    await checkRecords(shared.fetch, models);
  }
}

/** Compares every list of every account with its model. */
async function checkRecords(fetch: Fetch, models: readonly AccountModel[]) {
  for (const model of models) {
    const stored = await storedAccount(fetch, model.subject);
    for (const collection of COLLECTIONS) {
      // As texts: here the order of properties counts.
      const [found, wanted] = [stored, model].map((side) =>
        side.matching(collection, {}).map((record) => JSON.stringify(record)),
      );
      same(found, wanted, `${collection} of ${model.subject}`);
    }
  }
}

/** The account's records in the service, read as the operator. */
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

/** After a start the service knows only the stored records: their ids and highest numbers count. */
function countIds(models: readonly AccountModel[], shared: Shared) {
  shared.ids = new Set(idsOf(models));
  shared.sequences = new Map(
    COLLECTIONS.map((collection) => {
      const { idPrefix } = ROW_OF[collection];
      const numbers = models.flatMap((model) =>
        model.ids(collection).map((id) => Number(id.slice(idPrefix.length))),
      );
      return [collection, Math.max(0, ...numbers)] as [CollectionName, number];
    }),
  );
}

function idsOf(models: readonly AccountModel[]) {
  return models.flatMap((model) => COLLECTIONS.flatMap((name) => model.ids(name)));
}

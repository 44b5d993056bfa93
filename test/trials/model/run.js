// A run against the model: several accounts and the operator at the same time,
// with refused commits and restarts; afterwards everything is looked at.

import fc from 'fast-check';
import { AccountModel, COLLECTIONS, RULES } from './account-model.js';
import { REFUSED, steps } from './commands.js';
import { exchange, OPERATOR } from './exchange.js';
import { Lane } from './lane.js';
import { checkViews } from './views.js';

/** @import { Collection, JsonRecord } from './account-model.js' */
/** @import { Step } from './commands.js' */
/** @import { Fetch } from './exchange.js' */
/** @import { Host } from './hosts.js' */

const SAMPLES_OWNER = 'local-preview';
const ACCOUNTS = 4;
const STEPS_MAX = 5;
const COMMANDS_A_STEP = 30;
/** Runs at the same time, each with a service of its own: most of a run is waiting for the disk. */
const RUNS_AT_ONCE = 6;

/**
 * What the accounts of a run share.
 * @typedef {object} Shared
 * @property {Fetch} fetch
 * @property {() => boolean} mayFail Whether some write under way is one that the database refuses.
 * @property {Map<Collection, number>} sequences The highest number that was given.
 * @property {Set<string>} ids Every id that is or was given since the last start.
 * @property {Record<'commands' | 'refused' | 'events', number>} counts
 */

/** @typedef {{ runs: number, commands: number, refused: number, events: number, restarts: number, failure: string | undefined }} Tally */

/**
 * Generated runs, each on a new database, until so many commands were sent or
 * one found a difference; its seed makes the same run again.
 * @returns {Promise<Tally>}
 */
export async function runsOf(
  /** @type {{ host: Host, folder: string, commands: number, say?: (text: string) => void, seed?: number }} */
  { host, folder, commands, say = () => {}, seed = Date.now() },
) {
  /** @type {Tally} */
  const tally = { runs: 0, commands: 0, refused: 0, events: 0, restarts: 0, failure: undefined };
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

async function oneRun(
  /** @type {Awaited<ReturnType<Host>>} */ running,
  /** @type {readonly Step[]} */ run,
  /** @type {Tally} */ tally,
) {
  let mayFail = false;
  /** @type {Shared} */
  const shared = {
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
async function checkRecords(
  /** @type {Fetch} */ fetch,
  /** @type {readonly AccountModel[]} */ models,
) {
  for (const model of models) {
    const stored = await storedAccount(fetch, model.subject);
    for (const collection of COLLECTIONS) {
      const found = JSON.stringify(stored.matching(collection, {}));
      const wanted = JSON.stringify(model.matching(collection, {}));
      if (found !== wanted)
        throw new Error(`${collection} of ${model.subject}: found ${found}, wanted ${wanted}`);
    }
  }
}

/** What the service holds of an account, read by the operator. */
async function storedAccount(/** @type {Fetch} */ fetch, /** @type {string} */ subject) {
  const model = new AccountModel(subject);
  for (const collection of COLLECTIONS) {
    const path = `/admin/accounts/${subject}/${collection}?page_size=200`;
    const { data } = await exchange(fetch, OPERATOR, 'GET', path);
    for (const record of /** @type {JsonRecord[]} */ (data).toReversed())
      model.put(collection, String(record['id']), record);
  }
  return model;
}

/** As the service does at its start: the highest number that is stored counts, and no other. */
function countIds(/** @type {readonly AccountModel[]} */ models, /** @type {Shared} */ shared) {
  shared.ids = new Set(idsOf(models));
  shared.sequences = new Map(
    COLLECTIONS.map((collection) => {
      const { prefix } = RULES[collection];
      const numbers = models.flatMap((model) =>
        model.ids(collection).map((id) => Number(id.slice(prefix.length))),
      );
      return /** @type {[Collection, number]} */ ([collection, Math.max(0, ...numbers)]);
    }),
  );
}

function idsOf(/** @type {readonly AccountModel[]} */ models) {
  return models.flatMap((model) => COLLECTIONS.flatMap((name) => model.ids(name)));
}

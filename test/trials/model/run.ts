// The trial `model`: several accounts and the operator at the same time, with refused commits and
// restarts. A plain model checks every response, and after each step all records and views.

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { COLLECTIONS, type CollectionName, ROW_OF } from '../../support/collection-table.js';
import type { Row } from '../../support/contract.js';
import { MARKS } from '../../support/failing-writes.js';
import { handlerHost, serverHost } from '../../support/file-hosts.js';
import type { Host } from '../../support/hosts.js';
import { openIdentityStub } from '../../support/identity-stub.js';
import { newSeed, type Random, randomFrom } from '../load/random.js';
import { type Client, clientOf, settingsOf } from '../service/client.js';
import type { Finding, Trial } from '../trial.js';
import { AccountModel } from './account-model.js';
import { AccountRun } from './account-run.js';
import { Commands, WORDS } from './commands.js';
import { assertEqual, view } from './exchange.js';
import { checkViews } from './views.js';

/** How many commands go to each host. */
const AMOUNTS = {
  small: { handler: 400, server: 300 },
  quick: { handler: 6_000, server: 1_500 },
  usual: { handler: 90_000, server: 15_000 },
};
const SAMPLES_OWNER = 'local-preview';
const ACCOUNTS = 4;
const STEPS_MAX = 5;
const COMMANDS_A_STEP = 30;
/** The number of runs side by side, each with its own service: a run mostly waits for the disk. */
const RUNS_AT_ONCE = 6;

/** The state that the accounts of a run share. */
export interface Shared {
  readonly client: Client;
  /** Whether this step has a write that storage refuses. */
  mayFail: boolean;
  /** The highest number in an id so far, for each collection. */
  sequences: Map<CollectionName, number>;
  /** Every id that the service assigned since its last start. */
  ids: Set<string>;
  readonly counts: Record<'commands' | 'refused' | 'events', number>;
}

export const model: Trial = async ({ size, folder, say }) => {
  const { handler, server } = AMOUNTS[size];
  return [
    await runsOf({ host: handlerHost, folder, commands: handler, say }),
    await runsOf({ host: serverHost, folder, commands: server, say }),
  ];
};

interface RunOptions {
  readonly host: Host;
  readonly folder: string;
  readonly commands: number;
  say?(text: string): void;
}

/**
 * Makes random runs, each on a new database, until this many commands are sent or a difference
 * is found. The seed in the message generates the same run again.
 */
export async function runsOf({ host, folder, commands, say }: RunOptions): Promise<Finding> {
  const totals = { runs: 0, commands: 0, refused: 0, events: 0, restarts: 0 };
  let failure: string | undefined;
  const keepRunning = async () => {
    while (totals.commands < commands && failure === undefined) {
      const seed = newSeed();
      const running = await opened(host, folder);
      try {
        totals.restarts += await oneRun(running, randomFrom(seed), totals);
      } catch (error) {
        failure = `${error} (seed ${seed})`;
      } finally {
        await running.close();
      }
      totals.runs++;
      if (totals.runs % 50 === 0) say?.(`${totals.commands} commands in ${totals.runs} runs`);
    }
  };
  await Promise.all(Array.from({ length: RUNS_AT_ONCE }, keepRunning));
  return {
    fault: `four accounts and the operator at once, compared with a plain model, ${host.name}`,
    tried: `${totals.commands} commands in ${totals.runs} histories, ${totals.refused} commits refused by storage, ${totals.restarts} restarts, ${totals.events} audited`,
    found: failure ?? '0 answers, views or records differ; 0 canaries of another account',
    holds: failure === undefined,
  };
}

/** Starts the host in its own folder; if the host can, storage refuses marked writes. */
async function opened(host: Host, folder: string) {
  const own = await mkdtemp(join(folder, 'model-'));
  await host.failMarkedWrites?.(own);
  const identity = await openIdentityStub();
  const settings = settingsOf(join(own, 'service.db'), identity);
  let running = await host.start(own, settings);
  return {
    client: clientOf((path, init) => running.fetch(path, init)),
    refuses: host.failMarkedWrites !== undefined,
    async restart() {
      await running.close();
      running = await host.start(own, settings);
    },
    async close() {
      await running.close();
      await identity.close();
      await rm(own, { recursive: true });
    },
  };
}

/** Resolves with the number of restarts. */
async function oneRun(
  { client, refuses, restart }: Awaited<ReturnType<typeof opened>>,
  random: Random,
  counts: Shared['counts'],
): Promise<number> {
  const commands = new Commands(random, WORDS, refuses);
  const shared: Shared = { client, mayFail: false, sequences: new Map(), ids: new Set(), counts };
  const samples = await storedAccount(client, SAMPLES_OWNER);
  const accounts = Array.from(
    { length: ACCOUNTS },
    (_, i) => new AccountRun(`tenant-${i}`, shared),
  );
  const models = [samples, ...accounts.map((account) => account.model)];
  countIds(models, shared);
  let restarts = 0;
  for (let step = random.between(1, STEPS_MAX); step > 0; step--) {
    const chosen = accounts.map(() =>
      Array.from({ length: COMMANDS_A_STEP }, () => commands.next()),
    );
    shared.mayFail = JSON.stringify(chosen).includes(MARKS.put);
    for (const account of accounts) {
      account.strangers = idsOf(models.filter((other) => other !== account.model));
    }
    // Waits for all, so that none continues after another has failed.
    const ends = await Promise.allSettled(
      accounts.map((account, i) => account.run(chosen[i] ?? [])),
    );
    const failed = ends.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    if (random.chance(0.5)) {
      await restart();
      restarts++;
      countIds(models, shared);
    }
    await checkViews(client, models, accounts);
    await checkRecords(client, models);
  }
  return restarts;
}

/** Compares every list of every account with its model. */
async function checkRecords(client: Client, models: readonly AccountModel[]): Promise<void> {
  for (const wanted of models) {
    const stored = await storedAccount(client, wanted.subject);
    for (const collection of COLLECTIONS) {
      // As texts: here the order of properties counts.
      const [found, expected] = [stored, wanted].map((side) =>
        side.matching(collection, {}).map((record) => JSON.stringify(record)),
      );
      assertEqual(found, expected, `${collection} of ${wanted.subject}`);
    }
  }
}

/** The account's records in the service, read as the operator. */
async function storedAccount(client: Client, subject: string): Promise<AccountModel> {
  const account = new AccountModel(subject);
  for (const collection of COLLECTIONS) {
    const path = `/accounts/${subject}/${collection}?page_size=200`;
    const { data } = await view<Row[]>(client, path);
    for (const record of data.toReversed()) account.put(collection, record.id, record);
  }
  return account;
}

/** After a start the service knows only the stored records: their ids and highest numbers count. */
function countIds(models: readonly AccountModel[], shared: Shared): void {
  shared.ids = new Set(idsOf(models));
  shared.sequences = new Map(
    COLLECTIONS.map((collection) => {
      const { idPrefix } = ROW_OF[collection];
      const ids = models.flatMap((account) => account.ids(collection));
      return [collection, Math.max(0, ...ids.map((id) => Number(id.slice(idPrefix.length))))];
    }),
  );
}

function idsOf(models: readonly AccountModel[]): string[] {
  return models.flatMap((account) => COLLECTIONS.flatMap((name) => account.ids(name)));
}

// The trial `wal-reset`: a race for the defect of the service's SQLite by which two connections
// that write and write the log back at the same instant lose a commit. As many commits and syncs as
// the machine can do, with a log that is written back after a few pages; then every record is compared.
// As control, the same file with a program that writes the log back whenever it likes.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeDataSet } from '../../scripts/bench/data-set.js';
import { litestreamProgram } from '../../scripts/bench/litestream.js';
import { hasPeerPackage } from '../../scripts/bench/peer-packages.js';
import { emptyDatabase } from '../../scripts/bench/preparation.js';
import { startIdentityProvider, type Target } from '../../scripts/bench/targets.js';
import { type LitestreamProcess, litestreamHome } from '../support/litestream.js';
import { saltOf } from './replication/disaster.js';
import { type Client, clientOf } from './service/requests.js';
import { spawnServer } from './service/service-process.js';
import type { Finding, Trial } from './trial.js';
import { type CarelessOptions, type CarelessRace, carelessRace } from './wal-reset/careless.js';
import { compared } from './wal-reset/compared.js';

const QUICK_MINUTES = 0.5;
const MINUTES = 10;
const LONG_MINUTES = 60;
const WRITERS = 24;
/** Of each writer: the oldest is deleted when it has more. Together more than SQLite's cache holds, so a lost page is not written again from there. */
const RECORDS_MAX = 4_000;
/** Litestream's smallest: almost every sync writes the log back. */
const LOG_PAGES = 1;
const LOOK_MS = 5;
const SAY_MS = 30_000;
/** Litestream is stopped for a while now and then, wherever it is. */
const STOP_EVERY_MS = 10_000;
const STOPPED_MS = 1_200;
/** Of the control: 16 MB, more than SQLite's cache holds as well. */
const CARELESS = { account: 'account-0', records: 50_000 };
const CARELESS_MINUTES = 5;
const QUICK_ENOUGH_HITS = 2;
const ENOUGH_HITS = 10;

export const walReset: Trial = async ({ quick, long, minutes, folder, say }) => {
  const program = litestreamProgram();
  if (program === undefined) {
    const found = 'Litestream is not on this machine: set LITESTREAM to its path';
    return [
      {
        fault: 'commits race with the writing back of the log',
        tried: 'not at all',
        found,
        holds: undefined,
      },
    ];
  }
  const identity = await startIdentityProvider();
  const wanted = minutes ?? (quick ? QUICK_MINUTES : long ? LONG_MINUTES : MINUTES);
  try {
    const findings: Finding[] = [];
    for (const mode of ['sync', 'async'] as const) {
      const own = join(folder, mode);
      mkdirSync(own);
      const race = { program, folder: own, mode, identityOrigin: identity.origin };
      findings.push(await run(race, (wanted / 2) * 60_000, say));
    }
    const enoughHits = quick ? QUICK_ENOUGH_HITS : ENOUGH_HITS;
    return [...findings, ...(await controls({ folder, identity, enoughHits }, say))];
  } finally {
    await identity.process.stop();
  }
};

interface Race {
  readonly program: string;
  readonly folder: string;
  readonly mode: 'sync' | 'async';
  readonly identityOrigin: string;
}

async function run(race: Race, lastsMs: number, say: (text: string) => void): Promise<Finding> {
  const { program, folder, mode } = race;
  const more = [`min-checkpoint-page-count: ${LOG_PAGES}`];
  const home = litestreamHome({ program, folder, more });
  const litestream = home.start();
  const service = spawnServer({
    environment: {
      DATABASE_URL: `file:${home.file}`,
      AUTH_USERINFO_URL: `${race.identityOrigin}/userinfo`,
      AUTH_CACHE_SECONDS: '300',
      DATABASE_CREATE: 'yes',
      REPLICATION: mode,
      LITESTREAM_SOCKET: home.socketPath,
    },
  });
  const { address } = await service.saw('started');
  const client = clientOf(String(address));
  const writers = Array.from({ length: WRITERS }, (_, number) => new RaceWriter(client, number));
  const until = performance.now() + lastsMs;
  const restarts = countRestarts(home.file);
  const progress = setInterval(
    () =>
      say(`${mode}: ${writesOf(writers)} writes, the log was begun anew ${restarts.count()} times`),
    SAY_MS,
  );
  const stops = stopNowAndThen(litestream);
  await Promise.all(writers.map((writer) => writer.work(until)));
  clearInterval(progress);
  await stops.end();
  restarts.stop();
  client.close();
  await service.end('SIGTERM');
  await litestream.end('SIGTERM');
  const known = new Map(writers.flatMap(({ records }) => [...records]));
  const inFile = await compared(home.file, known);
  home.restoreTo(join(folder, 'restored.db'));
  const inReplica = await compared(join(folder, 'restored.db'), known);
  const failed = writers.reduce((sum, writer) => sum + writer.failed, 0);
  return {
    fault: `commits race with the writing back of the log, REPLICATION=${mode}`,
    tried: `${(lastsMs / 60_000).toFixed(1)} minutes, ${writesOf(writers)} writes acknowledged, ${failed} failed, the log begun anew at least ${restarts.count()} times, Litestream stopped for ${STOPPED_MS / 1_000} s ${stops.count()} times`,
    found: `${inFile.checked} records compared: ${inFile.differences} differ in the file, ${inReplica.differences} in the replica; integrity: ${inFile.integrity}, ${inReplica.integrity}`,
    holds:
      inFile.differences + inReplica.differences + failed === 0 &&
      inFile.integrity === 'ok' &&
      inReplica.integrity === 'ok' &&
      restarts.count() > 0,
  };
}

/** Creates, changes and deletes records, one request after the other, and knows what must be there. */
class RaceWriter {
  readonly #client: Client;
  readonly #account: string;
  /** The value that each record must have. */
  readonly records = new Map<string, number>();
  writes = 0;
  failed = 0;

  constructor(client: Client, number: number) {
    this.#client = client;
    this.#account = `account-${number}`;
  }

  async work(until: number): Promise<void> {
    while (performance.now() < until) {
      const value = ++this.writes;
      const [oldest] = this.records.keys();
      if (oldest === undefined || value % 3 === 0) await this.#create(value);
      else if (this.records.size > RECORDS_MAX) await this.#delete(oldest);
      else await this.#change(oldest, value);
    }
  }

  async #create(value: number): Promise<void> {
    const body = { name: 'Neema Mushi', phone: '+255 713 445 210', value };
    const id = await this.#send('POST', '/customers', body);
    if (id !== undefined) this.records.set(id, value);
  }

  async #change(id: string, value: number): Promise<void> {
    if ((await this.#send('PATCH', `/customers/${id}`, { value })) === undefined) return;
    // It is the newest now, so that another one is changed next.
    this.records.delete(id);
    this.records.set(id, value);
  }

  async #delete(id: string): Promise<void> {
    if ((await this.#send('DELETE', `/customers/${id}`)) !== undefined) this.records.delete(id);
  }

  async #send(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
    const call = { method, path, account: this.#account, ...(body !== undefined && { body }) };
    const answer = await this.#client.send(call).catch(() => undefined);
    if (answer?.status === 200 || answer?.status === 201) return answer.json.data.id;
    this.failed++;
    return undefined;
  }
}

const writesOf = (writers: readonly RaceWriter[]) =>
  writers.reduce((sum, { writes, failed }) => sum + writes - failed, 0);

/** How often the log was begun anew, as far as looking every few milliseconds tells. */
function countRestarts(file: string) {
  let [salt, count] = [saltOf(file), 0];
  const looking = setInterval(() => {
    const now = saltOf(file);
    if (!now.equals(salt)) count++;
    salt = now;
  }, LOOK_MS);
  return { count: () => count, stop: () => clearInterval(looking) };
}

/** A stop is a chance that Litestream stands at the one moment that matters. */
function stopNowAndThen(litestream: LitestreamProcess) {
  let count = 0;
  let stopping: Promise<void> = Promise.resolve();
  const stop = async () => {
    count++;
    litestream.signal('SIGSTOP');
    await delay(STOPPED_MS);
    litestream.signal('SIGCONT');
  };
  const timer = setInterval(() => {
    stopping = stop();
  }, STOP_EVERY_MS);
  return {
    count: () => count,
    async end() {
      clearInterval(timer);
      await stopping;
    },
  };
}

interface ControlOptions {
  readonly folder: string;
  readonly identity: Target;
  readonly enoughHits: number;
}

/** A SQLite with the defect must lose commits in this race, and one with the mend must not. */
async function controls(
  { folder, identity, enoughHits }: ControlOptions,
  say: (text: string) => void,
): Promise<Finding[]> {
  const empty = await emptyDatabase(folder, identity);
  const accounts = [{ prefix: 'account', owners: 1, records: CARELESS.records }];
  const { file } = await makeDataSet({ folder, emptyDatabase: empty }, 'careless', accounts);
  const data = { ...CARELESS, file };
  const race = async (library: CarelessOptions['library'], hits: number, lastsMs: number) => {
    const own = join(folder, library);
    mkdirSync(own);
    const options = { data, library, folder: own, identityOrigin: identity.origin };
    const found = await carelessRace({ ...options, enoughHits: hits, lastsMs });
    say(`${found.version}: ${found.attempts} attempts, ${found.hits} hits`);
    return found;
  };
  const defective = await race('libsql', enoughHits, CARELESS_MINUTES * 60_000);
  const lost = controlFinding('for control: a program writes the log back at will', defective);
  const findings = [{ ...lost, holds: defective.differences > 0 }];
  const fault = 'the same with a SQLite that has the mend';
  if (!hasPeerPackage('better-sqlite3')) {
    const found = 'better-sqlite3 is not there: run the benchmark once, which installs it';
    return [...findings, { fault, tried: 'not at all', found, holds: undefined }];
  }
  const mended = await race('better-sqlite3', Number.POSITIVE_INFINITY, defective.tookMs);
  return [...findings, controlFinding(fault, mended)];
}

function controlFinding(fault: string, race: CarelessRace): Finding {
  const { version, attempts, hits, failed, tookMs, checked, differences, integrity } = race;
  return {
    fault: `${fault}, ${version}`,
    tried: `${(tookMs / 60_000).toFixed(1)} minutes, ${attempts} attempts, the defect was met in ${hits}, ${failed} writes failed`,
    found: `${checked} records compared: ${differences} differ; integrity: ${integrity}`,
    holds: hits + differences + failed === 0 && integrity === 'ok',
  };
}

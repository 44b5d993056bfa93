// The trial `wal-reset`: a race for the defect of the service's SQLite by which two connections
// that write and write the log back at the same instant lose a commit. As many commits and syncs as
// the machine can do, with a log that is written back after a few pages; then every record is compared.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';
import { litestreamProgram } from '../../scripts/bench/litestream.js';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import { litestreamHome } from '../support/litestream.js';
import { saltOf } from './replication/disaster.js';
import { type Client, clientOf } from './service/requests.js';
import { spawnServer } from './service/service-process.js';
import type { Finding, Trial } from './trial.js';

const QUICK_MINUTES = 0.5;
const MINUTES = 10;
const LONG_MINUTES = 60;
const WRITERS = 24;
/** Of each writer: the oldest is deleted when it has more. */
const RECORDS_MAX = 200;
/** Litestream's smallest: almost every sync writes the log back. */
const LOG_PAGES = 1;
const LOOK_MS = 5;
const SAY_MS = 30_000;

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
    return findings;
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
  await Promise.all(writers.map((writer) => writer.work(until)));
  clearInterval(progress);
  restarts.stop();
  client.close();
  await service.end('SIGTERM');
  await litestream.end('SIGTERM');
  const inFile = await compared(home.file, writers);
  home.restoreTo(join(folder, 'restored.db'));
  const inReplica = await compared(join(folder, 'restored.db'), writers);
  const failed = writers.reduce((sum, writer) => sum + writer.failed, 0);
  return {
    fault: `commits race with the writing back of the log, REPLICATION=${mode}`,
    tried: `${(lastsMs / 60_000).toFixed(1)} minutes, ${writesOf(writers)} writes acknowledged, ${failed} failed, the log begun anew at least ${restarts.count()} times`,
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

/** The file's records beside those that the writers know. */
async function compared(file: string, writers: readonly RaceWriter[]) {
  const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 });
  try {
    const check = await client.execute('pragma integrity_check');
    const { rows } = await client.execute(
      "select id, body ->> '$.value' as value from records where body ->> '$.value' is not null",
    );
    const stored = new Map(rows.map((row) => [String(row['id']), Number(row['value'])]));
    let [checked, differences] = [0, 0];
    for (const { records } of writers) {
      for (const [id, value] of records) {
        checked++;
        if (stored.get(id) !== value) differences++;
        stored.delete(id);
      }
    }
    // What is left was deleted, or never acknowledged.
    return {
      checked,
      differences: differences + stored.size,
      integrity: String(check.rows[0]?.[0]),
    };
  } finally {
    client.close();
  }
}

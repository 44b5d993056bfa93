// The trial `fail-over`: the drill of the page "A second place", with the times of its steps: the
// replica is restored, given a new path, and Litestream and the service start on it.

import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeDataSet } from '../../scripts/bench/data-set.js';
import { litestreamProgram } from '../../scripts/bench/litestream.js';
import { emptyDatabase } from '../../scripts/bench/preparation.js';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import { readingTime } from '../../scripts/bench/workloads/start-up.js';
import { type LitestreamHome, litestreamHome } from '../support/litestream.js';
import { clientOf } from './service/requests.js';
import { spawnServer } from './service/service-process.js';
import type { Finding, Trial } from './trial.js';

const QUICK_SIZES = [10_000];
const SIZES = [10_000, 100_000, 1_000_000];
const LONG_SIZES = [...SIZES, 4_000_000];
const OWNERS = 20_000;
const WRITES = 20;
const AGAIN_MS = 50;
const WRITE_MAX_MS = 300_000;

export const failOver: Trial = async ({ quick, long, folder, say }) => {
  const program = litestreamProgram();
  if (program === undefined) {
    const found = 'Litestream is not on this machine: set LITESTREAM to its path';
    return [{ fault: 'fail-over', tried: 'not at all', found, holds: undefined }];
  }
  const identity = await startIdentityProvider();
  try {
    const empty = await emptyDatabase(folder, identity);
    const findings: Finding[] = [];
    for (const records of quick ? QUICK_SIZES : long ? LONG_SIZES : SIZES) {
      const own = join(folder, String(records));
      mkdirSync(own);
      const accounts = [{ prefix: 'account', owners: OWNERS, records }];
      const data = await makeDataSet({ folder: own, emptyDatabase: empty }, 'data', accounts);
      say(`${records} records are there`);
      const drill = { program, folder: own, file: data.file, identityOrigin: identity.origin };
      findings.push(findingOf(records, await drilled(drill)));
      rmSync(own, { recursive: true, force: true });
    }
    return findings;
  } finally {
    await identity.process.stop();
  }
};

interface Drill {
  readonly program: string;
  readonly folder: string;
  readonly file: string;
  readonly identityOrigin: string;
}

type Times = Awaited<ReturnType<typeof drilled>>;

/** Milliseconds of each step. */
async function drilled({ program, folder, file, identityOrigin }: Drill) {
  const home = litestreamHome({ program, folder });
  copyFileSync(file, home.file);
  const lost = await pairOf(home, identityOrigin);
  const ids = [];
  for (let write = 0; write < WRITES; write++) ids.push(await lost.write());
  await lost.end('SIGKILL');
  rmSync(dirname(home.file), { recursive: true });

  const began = performance.now();
  home.restore();
  const restoreMs = performance.now() - began;
  const floorMs = await readingTime(home.file);
  const next = litestreamHome({
    program,
    folder,
    replica: [`url: file://${join(folder, 'replica-2')}`],
  });
  const startBegan = performance.now();
  const found = await pairOf(next, identityOrigin);
  const startMs = performance.now() - startBegan;
  await found.write();
  const writeMs = performance.now() - startBegan;
  const missing = await found.missing(ids);
  await found.end('SIGTERM');
  return { restoreMs, floorMs, startMs, writeMs, missing };
}

/** Litestream and the service, started at the same time; resolves when the service listens. */
async function pairOf(home: LitestreamHome, identityOrigin: string) {
  const litestream = home.start();
  const service = spawnServer({
    environment: {
      DATABASE_URL: `file:${home.file}`,
      AUTH_USERINFO_URL: `${identityOrigin}/userinfo`,
      AUTH_CACHE_SECONDS: '300',
      DATABASE_CREATE: 'yes',
      REPLICATION: 'sync',
      LITESTREAM_SOCKET: home.socketPath,
    },
  });
  const { address } = await service.saw('started');
  const client = clientOf(String(address));
  const body = { name: 'Neema Mushi', phone: '+255 713 445 210' };
  return {
    /** Resolves with the id of a record that the replica has. */
    async write(): Promise<string> {
      const until = performance.now() + WRITE_MAX_MS;
      while (performance.now() < until) {
        const call = { method: 'POST', path: '/customers', account: 'writer', body } as const;
        const { status, json } = await client.send(call);
        if (status === 201) return json.data.id;
        await delay(AGAIN_MS);
      }
      throw new Error('no write was acknowledged');
    },
    async missing(ids: readonly string[]): Promise<number> {
      const rows = await client.all<{ id: string }>('/customers', 'writer');
      const there = new Set(rows.map(({ id }) => id));
      return ids.filter((id) => !there.has(id)).length;
    },
    async end(signal: NodeJS.Signals) {
      client.close();
      await service.end(signal);
      await litestream.end(signal);
    },
  };
}

function findingOf(records: number, times: Times): Finding {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  return {
    fault: `fail-over of ${records.toLocaleString('en')} records, REPLICATION=sync, a folder as replica`,
    tried: `restored in ${seconds(times.restoreMs)}; then the service listened ${seconds(times.startMs)} after its start and the new replica had the first write after ${seconds(times.writeMs)}; SQLite alone checks and reads the file in ${seconds(times.floorMs)}`,
    found: `${times.missing} of ${WRITES} acknowledged missing`,
    holds: times.missing === 0,
  };
}

// One life of a service with Litestream next to it, under load, to its end: both killed, the
// data folder deleted, the replica restored and compared with what was acknowledged.

import { closeSync, mkdirSync, openSync, readSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createClient } from '@libsql/client';
import { tokenOf } from '../../support/identity-stub.js';
import type { LitestreamHome } from '../../support/litestream.js';
import { Metrics } from '../../support/operations.js';
import { type Client, clientOf } from '../service/requests.js';
import { spawnServer } from '../service/service-process.js';

const WORKERS = 16;
const PAUSE_MS = 20;
const LOG_RESTART_MAX_MS = 60_000;
/** SQLite gives a log that is restarted another salt (sqlite.org/fileformat2.html, 4.1). */
const SALT_END = 24;

export type Disaster = Awaited<ReturnType<typeof lifeOf>>;

/** `noteCharacters`: of each record that is written. */
export async function lifeOf(home: LitestreamHome, identityUrl: string, noteCharacters = 200) {
  const note = 'x'.repeat(noteCharacters);
  let litestream = home.start();
  let { service, client, operations } = await started();
  /** When each record was acknowledged, by its id. */
  const acknowledged = new Map<string, number>();
  let isOver = false;

  async function started() {
    const next = spawnServer({
      environment: {
        DATABASE_URL: `file:${home.file}`,
        AUTH_USERINFO_URL: identityUrl,
        AUTH_CACHE_SECONDS: '300',
        DATABASE_CREATE: 'yes',
        REPLICATION: `async:${home.socketPath}`,
        OPS_PORT: '0',
      },
    });
    const { address, operations } = await next.saw('started');
    const client = clientOf(String(address));
    return { service: next, client, operations: String(operations) };
  }

  async function work(worker: number): Promise<void> {
    while (!isOver) {
      const answer = await create(client, worker, note);
      if (answer?.status === 201) acknowledged.set(answer.json.data.id, performance.now());
      else await delay(PAUSE_MS);
    }
  }
  const working = Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));

  return {
    folder: dirname(dirname(home.file)),
    /** Resolves when this many records are acknowledged. */
    async acknowledged(count: number) {
      while (acknowledged.size < count) await delay(PAUSE_MS);
    },
    async restartLitestream(awayMs: number) {
      await litestream.end('SIGKILL');
      await delay(awayMs);
      litestream = home.start();
    },
    async holdLitestream(milliseconds: number) {
      litestream.signal('SIGSTOP');
      await delay(milliseconds);
      litestream.signal('SIGCONT');
    },
    /** As on a machine where it starts before anyone has restored. */
    async runLitestreamAlone(milliseconds: number) {
      litestream = home.start();
      await delay(milliseconds);
      await litestream.end('SIGTERM');
    },
    /** Ends the load; resolves when the replica has every commit. */
    async rest() {
      isOver = true;
      await working;
      const behind = async () =>
        (await Metrics.of(operations)).total('service_replication_behind_seconds');
      while ((await behind()) > 0) await delay(PAUSE_MS);
    },
    /** Resolves when the log was written back and restarted. */
    async sawLogRestart() {
      const before = saltOf(home.file);
      const until = performance.now() + LOG_RESTART_MAX_MS;
      while (saltOf(home.file).equals(before)) {
        if (performance.now() > until) throw new Error('the log was not written back');
        await delay(PAUSE_MS);
      }
    },
    async restartService() {
      await service.end('SIGKILL');
      client.close();
      ({ service, client, operations } = await started());
    },
    /** The machine is lost. `meanwhile` happens with the empty folder. Resolves with what the replica lacks. */
    async lose(meanwhile: () => Promise<void> = async () => {}) {
      const at = performance.now();
      service.child.kill('SIGKILL');
      await litestream.end('SIGKILL');
      isOver = true;
      await service.exited;
      await working;
      client.close();
      rmSync(dirname(home.file), { recursive: true });
      mkdirSync(dirname(home.file));
      await meanwhile();
      home.restore();
      const { ids, isWhole } = await restored(home.file);
      const missing = [...acknowledged].filter(([id]) => !ids.has(id));
      const oldest = Math.min(at, ...missing.map(([, when]) => when));
      return {
        acknowledged: acknowledged.size,
        missing: missing.length,
        lostMs: at - oldest,
        isWhole: isWhole && (await servesAgain()),
      };
    },
  };

  /** With Litestream on the same replica, as after a fail-over. */
  async function servesAgain(): Promise<boolean> {
    litestream = home.start();
    const next = await started();
    const answer = await create(next.client, 0, note);
    next.client.close();
    await next.service.end('SIGTERM');
    await litestream.end('SIGTERM');
    return answer?.status === 201;
  }
}

/** Changes each time the log is restarted. */
function saltOf(file: string): Buffer {
  const head = Buffer.alloc(SALT_END);
  const log = openSync(`${file}-wal`, 'r');
  readSync(log, head, 0, SALT_END, 0);
  closeSync(log);
  return head.subarray(SALT_END - 8);
}

function create(client: Client, worker: number, notes: string) {
  const body = { name: 'Neema Mushi', phone: '+255 713 445 210', notes };
  const call = {
    method: 'POST',
    path: '/customers',
    account: tokenOf(`account-${worker}`),
  } as const;
  return client.send({ ...call, body }).catch(() => undefined);
}

async function restored(file: string) {
  const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 });
  try {
    const check = await client.execute('pragma integrity_check');
    const { rows } = await client.execute("select id from records where collection = 'customers'");
    const ids = new Set(rows.map((row) => String(row['id'])));
    return { isWhole: check.rows[0]?.[0] === 'ok', ids };
  } finally {
    client.close();
  }
}

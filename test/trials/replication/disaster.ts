// One life of a service with Litestream next to it, under load, to its end: both killed, the
// data folder deleted, the replica restored and compared with what was acknowledged.

import { mkdirSync, rmSync } from 'node:fs';
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

export async function lifeOf(home: LitestreamHome, identityUrl: string) {
  const note = 'x'.repeat(200);
  let litestream = home.start();
  const { service, client, operations } = await started();
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
    /** Resolves when this many records are acknowledged. */
    async acknowledged(count: number) {
      while (acknowledged.size < count) await delay(PAUSE_MS);
    },
    async restartLitestream(awayMs: number) {
      await litestream.end('SIGKILL');
      await delay(awayMs);
      litestream = home.start();
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

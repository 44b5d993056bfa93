// The service with the real Litestream next to it, under load, to the loss of its machine: both are
// killed, the data folder is deleted, the replica restored and compared with what was acknowledged.

import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { openIdentityStub } from '../support/identity-stub.js';
import { itWithLitestream, litestreamHome } from '../support/litestream.js';
import { metricsOf, operationsOf } from '../support/operations.js';
import { startServer } from '../support/server-process.js';
import { openFolder } from '../support/test-folder.js';
import { type Client, clientOf, settingsOf } from './service/client.js';
import { openStored } from './service/stored.js';

const WORKERS = 16;
const LOOK_MS = 2_000;
const PAUSE_MS = 20;
/** Longer than every interval below. */
const ALONE_MS = 6_000;
/** Minutes of the real file are seconds here: files are joined and removed as soon as can be. */
const INTERVALS = [
  ...['l0-retention: 1s', 'l0-retention-check-interval: 1s'],
  ...['levels:', '  - interval: 1s', '  - interval: 2s'],
];
const BODY = { name: 'Neema Mushi', phone: '+255 713 445 210', notes: 'x'.repeat(200) };

function create(client: Client, worker: number) {
  const call = {
    method: 'POST',
    path: '/customers',
    account: `account-${worker}`,
    body: BODY,
  } as const;
  return client.send(call).catch(() => undefined);
}

itWithLitestream(
  'The replica survives the loss of the machine, a restart of Litestream, and Litestream running alone next to an empty folder',
  async (program) => {
    const folder = await openFolder();
    const identity = await openIdentityStub();
    const home = litestreamHome(program, folder.path, INTERVALS);
    const started = async () => {
      const service = await startServer({
        ...settingsOf(home.file, identity),
        DATABASE_CREATE: 'yes',
        REPLICATION: `async:${home.socketPath}`,
        OPS_PORT: '0',
      });
      return { service, client: clientOf(service.origin), operations: operationsOf(service) };
    };
    try {
      let litestream = home.start();
      const { service, client, operations } = await started();
      const acknowledged: string[] = [];
      let isOver = false;
      const working = Array.from({ length: WORKERS }, async (_, worker) => {
        while (!isOver) {
          const answer = await create(client, worker);
          if (answer?.status === 201) acknowledged.push(answer.json.data.id);
          else await delay(PAUSE_MS);
        }
      });
      while (acknowledged.length < 20) await delay(PAUSE_MS);
      await litestream.end('SIGKILL');
      litestream = home.start();
      while (acknowledged.length < 40) await delay(PAUSE_MS);
      isOver = true;
      await Promise.all(working);
      const behind = async () =>
        (await metricsOf(operations)).total('service_replication_behind_seconds');
      // The service looks once a second whether the replica has everything.
      await delay(LOOK_MS);
      while ((await behind()) > 0) await delay(PAUSE_MS);

      await service.stop('SIGKILL');
      await litestream.end('SIGKILL');
      rmSync(dirname(home.file), { recursive: true });
      mkdirSync(dirname(home.file));
      // As on a machine where it starts before a restore.
      litestream = home.start();
      await delay(ALONE_MS);
      await litestream.end('SIGTERM');

      home.restore();
      const rows = (await openStored(home.file))?.rows ?? [];
      const ids = new Set(rows.map(({ body }) => body.id));
      expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
      litestream = home.start();
      const next = await started();
      expect(await create(next.client, 0)).toMatchObject({ status: 201 });
      await next.service.stop();
      await litestream.end('SIGTERM');
    } finally {
      await identity.close();
      await folder.remove();
    }
  },
);

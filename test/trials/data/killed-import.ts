// Import: `kill -9` of the importer and of the service in turns, while a messy
// file goes in. In the end each row is one record, and none is two.

import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createOperatorClient } from 'service-management-api/operator-client';
import { freePort } from '../../../scripts/free-port.js';
import { startDataCommand } from '../../support/data-command.js';
import { openMeddlingProxy } from '../../support/meddling-proxy.js';
import type { Program } from '../../support/program.js';
import { type ServerProcess, startServer } from '../../support/server-process.js';
import { ADMIN_KEY } from '../service/service-process.js';
import { MESSY_OPTIONS, type MessyOrder, messyFile } from './messy-file.js';

const LOOK_MS = 10;
const ACCOUNT = 'auth0|duka';

export interface KilledImportOptions {
  readonly folder: string;
  readonly rows: number;
  /** Of the importer, and as many of the service. */
  readonly kills: number;
  say(text: string): void;
}

export async function killedImport({ folder, rows, kills, say }: KilledImportOptions) {
  const service = await openService(folder);
  const busy = await openMeddlingProxy({
    method: 'POST',
    to: service.environment.SERVICE_URL,
    before: (response, number) => refusesNowAndThen(response, number),
  });
  const { bytes, orders } = messyFile(rows);
  const file = join(folder, 'maagizo.csv');
  await writeFile(file, bytes);
  const args = ['import', file, '--account', ACCOUNT, '--into', 'orders', ...MESSY_OPTIONS];
  const run = () => startDataCommand(args, { ...service.environment, ...busy.environment });
  let importer: Program = run();
  let [killedImporters, killedServices, runs] = [0, 0, 1];
  const begun = performance.now();
  try {
    for (let kill = 1; kill <= 2 * kills; kill++) {
      const wanted = Math.floor((rows * kill) / (2 * kills + 1));
      if (!(await reached(service, wanted, importer))) break;
      if (kill % 2 === 1) {
        importer.child.kill('SIGKILL');
        const { code } = await importer.ended;
        if (code === null) killedImporters++;
        importer = run();
        runs++;
      } else {
        await service.killAndStart();
        killedServices++;
      }
      if (kill % 4 === 0) say(`${kill} kills, ${wanted} rows`);
    }
    const last = await importer.ended;
    const seconds = (performance.now() - begun) / 1000;
    const found = await stored(service);
    const { missing, extra } = difference(orders, found);
    return {
      fault: 'kill -9 of the importer and of the service on the way, 429 and 503 between',
      tried: `${rows} messy rows, ${killedImporters} kills of the importer, ${killedServices} of the service, ${runs} runs in ${seconds.toFixed(0)} s`,
      found: `${found.length} records, ${missing} rows missing, ${extra} records too many or wrong, last exit code ${last.code}${last.code === 0 ? '' : ` ${last.stderr.slice(-200)}`}`,
      holds:
        last.code === 0 &&
        found.length === rows &&
        missing + extra === 0 &&
        killedImporters === kills &&
        killedServices === kills,
    };
  } finally {
    importer.child.kill('SIGKILL');
    await busy.close();
    await service.stop();
  }
}

type KilledService = Awaited<ReturnType<typeof openService>>;

/** A service on a port that stays, so that it can be killed and come back. */
async function openService(folder: string) {
  const PORT = String(await freePort());
  const baseUrl = `http://127.0.0.1:${PORT}/api/v1`;
  const DATABASE_URL = `file:${join(folder, 'service.db')}`;
  const start = () => startServer({ PORT, DATABASE_URL, ADMIN_API_KEY: ADMIN_KEY });
  let server: ServerProcess = await start();
  return {
    environment: { SERVICE_URL: baseUrl, ADMIN_API_KEY: ADMIN_KEY },
    client: createOperatorClient({ baseUrl, adminKey: ADMIN_KEY }),
    async killAndStart() {
      await server.stop('SIGKILL');
      server = await start();
    },
    stop: () => server.stop(),
  };
}

/** As a proxy with limits does. A 503 names no time, so the command waits for a second: few of these. */
function refusesNowAndThen(response: ServerResponse, number: number): boolean {
  if (number % 97 === 0) response.writeHead(429, { 'Retry-After': '0' }).end();
  else if (number % 1_009 === 0) response.writeHead(503).end();
  else return false;
  return true;
}

/** Waits until the account has so many records; false where the importer ends before. */
async function reached(
  { client }: KilledService,
  wanted: number,
  importer: Program,
): Promise<boolean> {
  let isOver = false;
  importer.ended.then(() => {
    isOver = true;
  });
  for (;;) {
    const { pagination } = await client.recordsOf(ACCOUNT).orders.list({ page_size: 1 });
    if (pagination.total > wanted) return true;
    if (isOver) return false;
    await delay(LOOK_MS);
  }
}

async function stored({ client }: KilledService) {
  const found: string[] = [];
  for await (const order of client.recordsOf(ACCOUNT).orders.all()) {
    const { customer, service, amount, phone } = order;
    const note = order['Maelezo'];
    found.push(
      contentOf({
        customer,
        service,
        amount,
        phone: phone ?? '',
        ...(typeof note === 'string' && { Maelezo: note }),
      }),
    );
  }
  return found;
}

function difference(orders: readonly MessyOrder[], found: readonly string[]) {
  const counts = new Map<string, number>();
  for (const order of orders) add(counts, contentOf(order), 1);
  for (const content of found) add(counts, content, -1);
  const left = [...counts.values()];
  return {
    missing: left.filter((count) => count > 0).reduce((sum, count) => sum + count, 0),
    extra: -left.filter((count) => count < 0).reduce((sum, count) => sum + count, 0),
  };
}

function contentOf({ customer, service, amount, phone, Maelezo }: MessyOrder): string {
  return JSON.stringify([customer, service, amount, phone, Maelezo ?? null]);
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

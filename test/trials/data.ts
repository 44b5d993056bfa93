// The trial `data`: `kill -9` of the importer and of the service in turn, during the import of a file
// in which every tenth row equals the one before it. In the end each row is one record.

import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createOperatorClient } from 'service-management-api/operator-client';
import { freePort } from '../../scripts/free-port.js';
import { startDataCommand } from '../support/data-command.js';
import { openMeddlingProxy } from '../support/meddling-proxy.js';
import type { Program } from '../support/program.js';
import { startServer } from '../support/server-process.js';
import { ADMIN_KEY } from './service/service-process.js';
import type { Finding, Trial } from './trial.js';

const LOOK_MS = 10;
const ACCOUNT = 'auth0|duka';

export const data: Trial = async ({ quick, folder, say }) => [
  await killedImport(folder, quick ? { rows: 1_500, kills: 2 } : { rows: 10_000, kills: 10 }, say),
];

/** `kills`: of the importer, and as many of the service. */
export async function killedImport(
  folder: string,
  { rows, kills }: { readonly rows: number; readonly kills: number },
  say: (text: string) => void,
): Promise<Finding> {
  const PORT = String(await freePort());
  const SERVICE_URL = `http://127.0.0.1:${PORT}/api/v1`;
  const DATABASE_URL = `file:${join(folder, 'service.db')}`;
  const start = () => startServer({ PORT, DATABASE_URL, ADMIN_API_KEY: ADMIN_KEY });
  let server = await start();
  const client = createOperatorClient({ baseUrl: SERVICE_URL, adminKey: ADMIN_KEY });
  const { customers } = client.recordsOf(ACCOUNT);
  const busy = await openMeddlingProxy({ method: 'POST', to: SERVICE_URL, before: refuses });
  const file = join(folder, 'wateja.csv');
  const names = Array.from({ length: rows }, (_, row) => `Neema ${row % 10 === 9 ? row - 1 : row}`);
  await writeFile(file, `name,phone\n${names.map((name) => `${name},0713\n`).join('')}`);
  const args = ['import', file, '--account', ACCOUNT, '--into', 'customers'];
  const environment = { ADMIN_API_KEY: ADMIN_KEY, ...busy.environment };
  const run = (...more: string[]) => startDataCommand([...args, ...more], environment);
  const runAgain = () => run('--existing', 'skip');
  /** Waits until there are this many records; false if the importer ends before. */
  const reached = async (wanted: number, importer: Program): Promise<boolean> => {
    for (;;) {
      const { pagination } = await customers.list({ page_size: 1 });
      if (pagination.total > wanted) return true;
      if (importer.child.exitCode !== null) return false;
      await delay(LOOK_MS);
    }
  };
  let importer = run();
  let [killedImporters, killedServices] = [0, 0];
  try {
    for (let kill = 1; kill <= 2 * kills; kill++) {
      const wanted = Math.floor((rows * kill) / (2 * kills + 1));
      if (!(await reached(wanted, importer))) break;
      if (kill % 2 === 1) {
        importer.child.kill('SIGKILL');
        if ((await importer.ended).code === null) killedImporters++;
        importer = runAgain();
      } else {
        await server.stop('SIGKILL');
        // It can't know which records were created, and ends.
        await importer.ended;
        server = await start();
        importer = runAgain();
        killedServices++;
      }
      if (kill % 4 === 0) say(`${kill} kills, ${wanted} rows`);
    }
    const { code, stderr } = await importer.ended;
    const found: string[] = [];
    for await (const { name } of customers.all()) found.push(name);
    const isSame = found.toSorted().join() === names.toSorted().join();
    return {
      fault: 'kill -9 of the importer and of the service on the way, 429 and 503 between',
      tried: `${rows} rows, ${killedImporters} kills of the importer, ${killedServices} of the service`,
      found: `${found.length} records, ${isSame ? 'each row once' : 'NOT EACH ROW ONCE'}, last exit code ${code}${code === 0 ? '' : ` ${stderr.slice(-200)}`}`,
      holds: code === 0 && isSame && killedImporters === kills && killedServices === kills,
    };
  } finally {
    importer.child.kill('SIGKILL');
    await busy.close();
    await server.stop();
  }
}

/** As a proxy with limits does. A 503 names no time, so the command waits for a second: few of these. */
function refuses(response: ServerResponse, number: number): boolean {
  if (number % 97 === 0) response.writeHead(429, { 'Retry-After': '0' }).end();
  else if (number % 1_009 === 0) response.writeHead(503).end();
  else return false;
  return true;
}

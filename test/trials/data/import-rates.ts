// How quick an import is at so many connections, whether the records are in the
// order of the rows, and how long somebody else's reads take meanwhile; beside
// it what the service does for requests that nobody keeps a journal of.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startDataCommand } from '../../support/data-command.js';
import { ADMIN_KEY } from '../service/service-process.js';
import { openTrialService, type TrialService } from './data-service-process.js';

const CONNECTIONS = [1, 4, 8, 16];
const READ_EVERY_MS = 10;

export async function importRates({ folder, rows }: { folder: string; rows: number }) {
  const service = await openTrialService(folder);
  const lines: string[] = [];
  let isComplete = true;
  try {
    lines.push(`nothing else: ${readText(await readsDuring(service, delay(2_000)))}`);
    for (const connections of CONNECTIONS) {
      const begun = performance.now();
      const reads = await readsDuring(service, rawCreates(service, rows, connections));
      const seconds = (performance.now() - begun) / 1000;
      lines.push(
        `${connections} connections, requests alone: ${Math.round(rows / seconds)}/s, ${readText(reads)}`,
      );
      const file = join(folder, `rates-${connections}.csv`);
      await writeFile(
        file,
        `name,phone\n${Array.from({ length: rows }, (_, i) => `Mteja ${i},0${i}\n`).join('')}`,
      );
      const account = `rates-${connections}`;
      const run = startDataCommand(
        [
          'import',
          file,
          '--account',
          account,
          '--into',
          'customers',
          '--connections',
          String(connections),
        ],
        service.environment,
      ).ended;
      const during = await readsDuring(service, run);
      const rate = /\((\d+)\/s\)/.exec((await run).stdout)?.[1];
      const { found, outOfOrder } = await orderOf(service, account);
      isComplete &&= found === rows;
      lines.push(
        `${connections} connections, import: ${rate}/s, ${outOfOrder} of ${found - 1} neighbours out of order, ${readText(during)}`,
      );
    }
  } finally {
    await service.stop();
  }
  return {
    fault: 'an import beside other work',
    tried: `${rows} rows at ${CONNECTIONS.join(', ')} connections`,
    found: lines.join('; '),
    holds: isComplete,
  };
}

async function rawCreates({ baseUrl }: TrialService, count: number, connections: number) {
  let next = 0;
  const connection = async () => {
    for (let i = next++; i < count; i = next++) {
      const response = await fetch(`${baseUrl}/admin/accounts/raw/customers`, {
        method: 'POST',
        headers: { 'X-Service-Admin-Key': ADMIN_KEY },
        body: JSON.stringify({ name: `Mteja ${i}`, phone: `0${i}` }),
      });
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
}

async function readsDuring(service: TrialService, work: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    const begun = performance.now();
    await service.client.recordsOf('local-preview').orders.list({ page_size: 20 });
    times.push(performance.now() - begun);
    await delay(READ_EVERY_MS);
  }
  await ended;
  return times.sort((a, b) => a - b);
}

function readText(times: readonly number[]): string {
  const at = (share: number) => times[Math.floor(share * (times.length - 1))]?.toFixed(1);
  return `reads of others ${at(0.5)} ms (median), ${at(0.99)} ms (99 %)`;
}

async function orderOf({ client }: TrialService, account: string) {
  const names: number[] = [];
  for await (const { name } of client.recordsOf(account).customers.all()) {
    names.push(Number(name.split(' ')[1]));
  }
  names.reverse();
  const outOfOrder = names.filter((name, i) => i > 0 && name < (names[i - 1] ?? 0)).length;
  return { found: names.length, outOfOrder };
}

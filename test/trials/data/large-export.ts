// Export of a large account: its memory, and every record compared.

import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runSql } from '../../../scripts/run-sql.js';
import { startDataCommand } from '../../support/data-command.js';
import { FILL_COLUMNS } from '../../support/fill-columns.js';
import { openTrialService } from './data-service-process.js';

const MEMORY_MAX_BYTES = 150e6;
const LOOK_MS = 50;
const ACCOUNT = 'large';

export async function largeExport({ folder, records }: { folder: string; records: number }) {
  const service = await openTrialService(folder);
  await service.stop();
  await runSql(service.file, insertRecords(records), FILL_COLUMNS);
  await service.start();
  try {
    const to = join(folder, 'out');
    const begun = performance.now();
    const { child, ended } = startDataCommand(
      ['export', '--account', ACCOUNT, '--to', to],
      service.environment,
    );
    let memoryBytes = 0;
    const timer = setInterval(() => {
      memoryBytes = Math.max(memoryBytes, peakMemoryBytes(child.pid ?? 0));
    }, LOOK_MS);
    const { code, stderr } = await ended;
    clearInterval(timer);
    const seconds = (performance.now() - begun) / 1000;
    const wrong = await wrongLines(join(to, 'orders.ndjson'), records);
    return {
      fault: 'export of a large account',
      tried: `${records} records in ${seconds.toFixed(1)} s`,
      found: `${wrong} records wrong, missing or out of order; ${(memoryBytes / 1e6).toFixed(0)} MB resident at most; exit code ${code} ${stderr.slice(0, 200)}`,
      holds:
        code === 0 && wrong === 0 && memoryBytes > 0
          ? memoryBytes < MEMORY_MAX_BYTES
          : code !== 0 || wrong > 0
            ? false
            : undefined,
    };
  } finally {
    await service.stop();
  }
}

/** With the ids that come after those of the sample rows. */
function insertRecords(count: number): string {
  return `
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into records (position, collection, id, body, created_at, updated_at)
    select 1000 + i, 'orders', 'ORD-' || (100000 + i),
           json_object('id', 'ORD-' || (100000 + i), 'owner_sub', '${ACCOUNT}',
             'customer', 'Mteja ' || i, 'service', 'Kusuka', 'amount', i, 'status', 'New',
             'paid', 0, 'currency', 'TZS', 'note', 'rangi ya kahawia, saa tatu'),
           0, 0
      from n`;
}

/** Each line must be the record of its number, oldest first. */
async function wrongLines(path: string, count: number): Promise<number> {
  let [line, wrong] = [0, 0];
  for await (const text of createInterface({ input: createReadStream(path) })) {
    line++;
    const wanted = {
      id: `ORD-${100_000 + line}`,
      owner_sub: ACCOUNT,
      customer: `Mteja ${line}`,
      service: 'Kusuka',
      amount: line,
      status: 'New',
      paid: 0,
      currency: 'TZS',
      note: 'rangi ya kahawia, saa tatu',
    };
    if (text !== JSON.stringify(wanted)) wrong++;
  }
  return wrong + Math.abs(count - line);
}

/** As the system has counted it, 0 where it does not say. */
function peakMemoryBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

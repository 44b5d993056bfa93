// How much a backup slows down other requests: one writer and one reader, each with one
// request after another, first without a backup and then during backups.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeDataSet } from '../../../scripts/bench/data-set.js';
import { seconds } from '../figures.js';
import type { Client } from '../service/requests.js';
import { clientOf } from '../service/requests.js';
import { spawnServer } from '../service/service-process.js';
import type { Finding } from '../trial.js';

const BEFORE_MS = 2_000;
const BACKUPS = 5;
/** Removing the older backup takes most of it: a disk mounted with `discard` delays every sync then. */
const LONGEST_MAX_MS = 1_000;
const BACKUP_MAX_MS = 120_000;

export async function writesDuringBackups({
  folder,
  emptyDatabase,
  identityOrigin,
  records,
}: {
  folder: string;
  emptyDatabase: string;
  identityOrigin: string;
  records: number;
}): Promise<Finding> {
  const { file } = await makeDataSet({ folder, emptyDatabase }, 'large', [
    { prefix: 'filler', owners: 10, records },
  ]);
  const backups = join(folder, 'large-backups');
  mkdirSync(backups);
  const server = spawnServer({
    environment: {
      DATABASE_URL: `file:${file}`,
      AUTH_USERINFO_URL: `${identityOrigin}/userinfo`,
      AUTH_CACHE_SECONDS: '300',
      BACKUP_DIR: backups,
      BACKUP_INTERVAL_HOURS: '0',
      BACKUP_KEEP: '1',
    },
  });
  const { address } = await server.saw('started');
  const client = clientOf(String(address));
  const taken = () => server.log().filter(({ event }) => event === 'backup_taken').length;
  const idle = await timesDuring(client, () => delay(BEFORE_MS));
  let [tookMs, writes, first] = [0, 0, 0];
  const longest = { write: 0, read: 0 };
  for (let backup = 1; backup <= BACKUPS; backup++) {
    const started = performance.now();
    const times = await timesDuring(client, async () => {
      process.kill(server.pid, 'SIGUSR2');
      while (taken() < backup && performance.now() - started < BACKUP_MAX_MS) await delay(10);
    });
    tookMs = Math.max(tookMs, performance.now() - started);
    writes += times.writes.length;
    longest.write = Math.max(longest.write, ...times.writes);
    if (backup === 1) first = longest.write;
    longest.read = Math.max(longest.read, ...times.reads);
  }
  client.close();
  const done = taken();
  await server.end('SIGTERM');
  return {
    fault: `a writer and a reader while ${records} records are backed up`,
    tried: `${done} backups of ${seconds(tookMs)} at most, ${writes} writes meanwhile`,
    found: `the longest write ${longest.write.toFixed(0)} ms, ${first.toFixed(0)} ms where no older backup was removed, the longest read ${longest.read.toFixed(0)} ms; without a backup ${Math.max(...idle.writes).toFixed(0)} ms and ${Math.max(...idle.reads).toFixed(0)} ms`,
    holds: done === BACKUPS && longest.write < LONGEST_MAX_MS && longest.read < LONGEST_MAX_MS,
  };
}

/** The duration of each write and each read during `work`, in milliseconds. */
async function timesDuring(client: Client, work: () => Promise<unknown>) {
  let isOver = false;
  const over = work().finally(() => {
    isOver = true;
  });
  const writes: number[] = [];
  const reads: number[] = [];
  const body = { name: 'Neema Mushi', phone: '+255 713 445 210' };
  const write = async () => {
    const started = performance.now();
    const { status } = await client.send({ method: 'POST', path: '/team', account: 'neema', body });
    if (status !== 201) throw new Error(`a create was answered ${status}`);
    writes.push(performance.now() - started);
  };
  const read = async () => {
    const started = performance.now();
    await client.get('/team?page_size=5', 'neema');
    reads.push(performance.now() - started);
  };
  const repeated = async (request: () => Promise<void>) => {
    while (!isOver) await request();
  };
  await Promise.all([repeated(write), repeated(read), over]);
  return { writes, reads };
}

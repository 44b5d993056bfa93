// Reads at a steady rate, and how long each of them took.

import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../service/requests.js';

const READERS = 8;
/** Between two reads of a reader: the readers measure the server, they do not fill it. */
const PAUSE_MS = 4;

/**
 * Reads an account's records in turn for so long; resolves with the times in
 * milliseconds. Rejects where an answer is not 200.
 */
export async function timedReads(
  client: Client,
  {
    account,
    paths,
    milliseconds,
  }: { account: string; paths: readonly string[]; milliseconds: number },
) {
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  let next = 0;
  const read = async () => {
    while (performance.now() < end) {
      const path = paths[next++ % paths.length] ?? '';
      const started = performance.now();
      await client.get(path, account);
      times.push(performance.now() - started);
      await delay(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  return times;
}

/** Records to read, made for an account. */
export async function recordsToRead(client: Client, account: string) {
  const paths: string[] = [];
  for (let record = 0; record < 50; record++) {
    const body = { name: `Neema ${record}`, phone: '+255 713 445 210' };
    const { json } = await client.send({ method: 'POST', path: '/customers', account, body });
    paths.push(`/customers/${json.data.id}`);
  }
  return paths;
}

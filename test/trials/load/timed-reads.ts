// Reads at a steady rate, with the duration of each.

import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../service/requests.js';

const READERS = 8;
/** Pause between two reads of a reader: the reads measure the server, they must not overload it. */
const PAUSE_MS = 4;

/**
 * Reads an account's records in turn during `milliseconds`. Resolves with the duration of
 * each read in milliseconds. Rejects when an answer is not 200.
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

/** Creates records for an account; resolves with their paths. */
export async function recordsToRead(client: Client, account: string) {
  const paths: string[] = [];
  for (let record = 0; record < 50; record++) {
    const body = { name: `Neema ${record}`, phone: '+255 713 445 210' };
    const { json } = await client.send({ method: 'POST', path: '/customers', account, body });
    paths.push(`/customers/${json.data.id}`);
  }
  return paths;
}

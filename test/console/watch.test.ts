// What the console keeps of the service, and what it makes of an operations port that is something
// else.

import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import type { Overview } from '../../src/operator-client.js';
import { StatusPort } from '../../src/tools/console/status-port.js';
import { Watch } from '../../src/tools/console/watch.js';
import { onLoopback } from '../support/loopback.js';

const OVERVIEW = { tenant_count: 1, record_count: 2 } as Overview;

it('The last overview stays while the service is away', async () => {
  let now = 1_000;
  let isAway = false;
  const overview = async () => {
    if (isAway) throw new Error('away');
    return OVERVIEW;
  };
  const status = { status: async () => undefined };
  const watch = new Watch({ client: { overview }, status, clock: () => now });
  await watch.tick();
  now = 61_000;
  isAway = true;
  await expect(watch.tick()).resolves.toBeUndefined();
  expect(watch.overview).toEqual({ at: 1_000, answer: OVERVIEW });
});

it('The operations port is asked at most every two seconds, however many look', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end('{"last_hour":[]}');
  });
  const { origin, close } = await onLoopback(server);
  let now = 100_000;
  const port = new StatusPort({ url: origin, adminKey: undefined, clock: () => now });
  await Promise.all([port.status(), port.status()]);
  now += 1_900;
  await port.status();
  expect(asked).toBe(1);
  now += 200;
  expect(await port.status()).toEqual({ last_hour: [] });
  expect(asked).toBe(2);
  await close();
});

it.each(['<html>', '{}', 'null'])('A port that answers %s is shown as a sentence', async (text) => {
  const { origin, close } = await onLoopback(createServer((_, response) => response.end(text)));
  const port = new StatusPort({ url: origin, adminKey: undefined, clock: () => 100_000 });
  expect(await port.status()).toContain(`The operations port ${origin} gave no usable answer: `);
  await close();
});

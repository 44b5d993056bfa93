// What the console asks in the background and how often, and what it makes of an operations port
// that is something else.

import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import type { Overview, Usage } from '../../src/operator-client.js';
import { StatusPort } from '../../src/tools/console/status-port.js';
import { WATCH_INTERVAL_MS, Watch } from '../../src/tools/console/watch.js';
import { onLoopback } from '../support/loopback.js';

const OVERVIEW = { tenant_count: 1, record_count: 2 } as Overview;

function watchOf(usage: () => Promise<Usage>, isAway = false) {
  const given = { now: 1_000_000_000_000, usage: 0, status: 0 };
  const watch = new Watch({
    client: {
      overview: async () => {
        if (isAway) throw new Error('away');
        return OVERVIEW;
      },
      usage() {
        given.usage++;
        return usage();
      },
    },
    status: {
      async status() {
        given.status++;
        return undefined;
      },
    },
    clock: () => given.now,
  });
  return { watch, given };
}

it('The usage is asked for while a page wants it, at most once a minute and once at a time', async () => {
  const { watch, given } = watchOf(async () => ({}) as Usage);
  for (let minute = 0; minute < 5; minute++) await watch.tick();
  expect(given).toMatchObject({ usage: 0, status: 5 });
  expect(watch.usage()).toBeUndefined();
  watch.usage();
  await new Promise(setImmediate);
  expect(watch.usage()).toMatchObject({ at: given.now });
  expect(given.usage).toBe(1);
  given.now += WATCH_INTERVAL_MS;
  watch.usage();
  watch.usage();
  expect(given.usage).toBe(2);
});

it('The last overview stays while the service is away', async () => {
  const { watch, given } = watchOf(async () => ({}) as Usage, true);
  watch.saw(OVERVIEW);
  const { now } = given;
  given.now += WATCH_INTERVAL_MS;
  await expect(watch.tick()).resolves.toBeUndefined();
  expect(watch.overview).toEqual({ at: now, answer: OVERVIEW });
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

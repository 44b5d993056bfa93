// What the console keeps of the service, and what it makes of an operations port that is something
// else.

import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import type { Overview } from '../../src/operator-client.js';
import { StatusPort } from '../../src/tools/console/status-port.js';
import { onLoopback } from '../support/loopback.js';

const OVERVIEW = { tenant_count: 1, record_count: 2 } as Overview;

async function openPort(text = '{"last_hour":[]}') {
  const seen = { asked: 0, now: 100_000, isAway: false };
  const server = createServer((_, response) => {
    seen.asked++;
    response.end(text);
  });
  const { origin: url, close } = await onLoopback(server);
  onTestFinished(close);
  const overview = async () => {
    if (seen.isAway) throw new Error('away');
    return OVERVIEW;
  };
  const options = { url, adminKey: undefined, client: { overview }, clock: () => seen.now };
  return { seen, url, port: new StatusPort(options) };
}

it('The last overview stays while the service is away', async () => {
  const { seen, port } = await openPort();
  await port.look();
  Object.assign(seen, { now: 160_000, isAway: true });
  await port.look();
  expect(port.overview).toEqual({ at: 100_000, answer: OVERVIEW });
});

it('The operations port is asked at most every two seconds, however many look', async () => {
  const { seen, port } = await openPort();
  await Promise.all([port.status(), port.status()]);
  seen.now += 1_900;
  await port.status();
  expect(seen.asked).toBe(1);
  seen.now += 200;
  expect(await port.status()).toEqual({ last_hour: [] });
  expect(seen.asked).toBe(2);
});

it.each(['<html>', '{}', 'null'])('A port that answers %s is shown as a sentence', async (text) => {
  const { url, port } = await openPort(text);
  expect(await port.status()).toContain(`The operations port ${url} gave no usable answer: `);
});

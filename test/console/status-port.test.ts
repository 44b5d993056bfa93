// What the console makes of an operations port that many ask, or that is something else.

import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { StatusPort } from '../../src/tools/console/status-port.js';
import { onLoopback } from '../support/loopback.js';

const NONE = expect.stringMatching(/^The operations port http\S+ gave no usable answer: /);

it.each([
  ['{"last_hour":[]}', { last_hour: [] }, [1, 1, 2]],
  ['<html>', NONE, [1, 2, 3]],
  ['{}', NONE, [1, 2, 3]],
  ['null', NONE, [1, 2, 3]],
])('The answer %s is %o, asked for %o times in 0, 1.9 and 2.1 s', async (text, shown, counts) => {
  let [now, asked] = [100_000, 0];
  const server = createServer((_, response) => {
    asked++;
    response.end(text);
  });
  const { origin: url, close } = await onLoopback(server);
  onTestFinished(close);
  const client = { overview: () => Promise.reject(new Error('unused')) };
  const port = new StatusPort({ url, adminKey: undefined, client, clock: () => now });
  const seen: number[] = [];
  for (const atMs of [0, 1_900, 2_100]) {
    now = 100_000 + atMs;
    expect(await Promise.all([port.status(), port.status()])).toEqual([shown, shown]);
    seen.push(asked);
  }
  expect(seen).toEqual(counts);
});

// How the commands call the service: how long they wait before they ask again, when they give up,
// and their walk over all pages of a list that changes and whose large rows make pages too long.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApiError } from '../../src/operator-client.js';
import { Service, tooLong, WAITS } from '../../src/tools/data/service.js';
import { pagesOf } from '../../src/tools/data/walk.js';
import { type Call, Interrupted } from '../../src/tools/program/command.js';

const failure = (retryAfterMs?: number) =>
  new ApiError('RATE_LIMITED', 'busy', { status: 429, retryAfterMs });

const serviceWith = (dependencies: Pick<Call, 'interrupted' | 'now' | 'err'>) =>
  new Service({ baseUrl: 'http://127.0.0.1/api/v1', adminKey: '' }, dependencies as Call);

/** Its waits are over at once, as after Ctrl-C; `said` has what the person reads. */
function waitingAt(clock: { now: number }) {
  const said: string[] = [];
  const dependencies = {
    interrupted: AbortSignal.abort(),
    now: () => clock.now,
    err: (text: string) => void said.push(text.match(/waiting (.*) s/)?.[1] ?? text),
  };
  return { said, wait: serviceWith(dependencies).startWaiting() };
}

it.each([
  ['grows up to half a minute', Array(7).fill(undefined), '1.0 2.0 4.0 8.0 16.0 30.0 30.0'],
  [
    'is the one that the answer asked for, once and for five minutes at most',
    [7_000, undefined, 31_536_000_000, 0],
    '7.0 2.0 300.0 0.0',
  ],
])('A wait %s', async (_, asked: (number | undefined)[], waits) => {
  const { said, wait } = waitingAt({ now: 0 });
  for (const ms of asked) await wait(failure(ms));
  expect(said.join(' ')).toBe(waits);
});

it('The waits end after ten minutes without an answer', async () => {
  const clock = { now: 0 };
  const { wait } = waitingAt(clock);
  clock.now = WAITS.patienceMs;
  await wait(failure());
  clock.now++;
  await expect(wait(failure())).rejects.toThrow('has not recovered for 10 minutes');
});

it('A call is not made any more after Ctrl-C', async () => {
  const interruption = new AbortController();
  let calls = 0;
  const call = () => {
    calls++;
    interruption.abort();
    return Promise.reject(failure());
  };
  const dependencies = { interrupted: interruption.signal, now: () => 0, err() {} };
  await expect(serviceWith(dependencies).patiently(call)).rejects.toThrow(Interrupted);
  expect(calls).toBe(1);
});

it('The first call of a service that cannot be reached is not repeated', async () => {
  const dependencies = { interrupted: new AbortController().signal, now: () => 0, err() {} };
  await expect(serviceWith(dependencies).reach()).rejects.toThrow(ApiError);
});

const newestFirst = (count: number) => Array.from({ length: count }, (_, index) => count - index);

it('A walk of a command has every row that stays, each once, while rows come and go', async () => {
  const patiently = (call: () => Promise<unknown>) => call();
  const service = { patiently } as Pick<Service, 'patiently'> as Service;
  const changes = fc.array(fc.record({ added: fc.nat(3), deleted: fc.nat(120) }));
  await fc.assert(
    fc.asyncProperty(fc.nat(700), fc.nat(700), changes, async (count, large, steps) => {
      const rows = newestFirst(count);
      const staying = new Set(rows);
      let newest = count;
      const read = async ({ page, page_size }: { page: number; page_size: number }) => {
        const items = rows.slice((page - 1) * page_size, page * page_size);
        // This row alone makes a page too long for others.
        if (page_size > 1 && items.includes(large)) throw tooLong();
        const total = rows.length;
        const pagination = { page, page_size, total, total_pages: Math.ceil(total / page_size) };
        const { added, deleted } = steps.shift() ?? { added: 0, deleted: 0 };
        // Only one of the two: the total alone does not show both.
        if (deleted > 0) for (const row of rows.splice(0, deleted)) staying.delete(row);
        else for (let more = 0; more < added; more++) rows.unshift(++newest);
        return { items, pagination };
      };
      const seen: number[] = [];
      for await (const page of pagesOf(service, read, String)) seen.push(...page);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining([...staying]));
    }),
    { numRuns: 200 },
  );
});

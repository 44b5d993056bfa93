// How the commands call the service: how long they wait before a retry, when they give up, and
// iteration over all pages of a list that changes.

import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ApiError } from '../../src/operator-client.js';
import { paginate } from '../../src/tools/data/paginate.js';
import { PAGE_SIZE, retryDelayMs, ServiceClient } from '../../src/tools/data/service-client.js';

const TARGET = { baseUrl: 'http://127.0.0.1/api/v1', adminKey: '' };
const service = new ServiceClient(TARGET, { interrupted: new AbortController().signal, err() {} });

it('A retry waits up to half a minute, or as long as the response asks, up to five minutes', () => {
  const growing = [0, 1, 2, 3, 4, 5, 99].map((retries) => retryDelayMs(retries));
  expect(growing).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  const asked = [0, 7_000, 31_536_000_000].map((ms) => retryDelayMs(3, ms));
  expect(asked).toEqual([0, 7_000, 300_000]);
});

it('Retries end after ten minutes without success', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const call = vi.fn(async () => {
    vi.setSystemTime(Date.now() + 300_001);
    throw new ApiError('RATE_LIMITED', 'busy', { status: 429, retryAfterMs: 0 });
  });
  await expect(service.withRetry(call)).rejects.toThrow('has not recovered for 10 minutes');
  expect(call).toHaveBeenCalledTimes(2);
});

it('The first call to an unreachable service is not retried', async () => {
  await expect(service.checkReachable()).rejects.toThrow(ApiError);
});

const newestFirst = (count: number) => Array.from({ length: count }, (_, index) => count - index);

it('Iterating over pages yields every remaining row once, while rows are added and deleted', async () => {
  const changes = fc.array(fc.record({ added: fc.nat(3), deleted: fc.nat(30) }));
  await fc.assert(
    fc.asyncProperty(fc.nat(7 * PAGE_SIZE), changes, async (count, steps) => {
      const rows = newestFirst(count);
      const staying = new Set(rows);
      let newest = count;
      const read = async ({ page, page_size }: { page: number; page_size: number }) => {
        const items = rows.slice((page - 1) * page_size, page * page_size);
        const total = rows.length;
        const pagination = { page, page_size, total, total_pages: Math.ceil(total / page_size) };
        const { added, deleted } = steps.shift() ?? { added: 0, deleted: 0 };
        // Only one of the two, because the total alone can't show both.
        if (deleted > 0) for (const row of rows.splice(0, deleted)) staying.delete(row);
        else for (let more = 0; more < added; more++) rows.unshift(++newest);
        return { items, pagination };
      };
      const seen: number[] = [];
      for await (const page of paginate(service, read, String)) seen.push(...page);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining([...staying]));
    }),
    { numRuns: 200 },
  );
});

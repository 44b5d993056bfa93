// The commands' walk over all pages, over a list that changes between its pages and whose
// large rows make pages too long.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Service, tooLong } from '../../src/tools/data/service.js';
import { pagesOf } from '../../src/tools/data/walk.js';

const KEY = (row: number) => String(row);
const SERVICE = {
  patiently: (call: () => Promise<unknown>) => call(),
} as Pick<Service, 'patiently'> as Service;

/** A list, newest first, as the service gives it. `isLarge`: one of these rows alone makes a page too long for others. */
function listOf(rows: number[], isLarge: (row: number) => boolean, meanwhile: () => void) {
  const read = async ({ page, page_size }: { page: number; page_size: number }) => {
    const items = rows.slice((page - 1) * page_size, page * page_size);
    if (page_size > 1 && items.some(isLarge)) throw tooLong();
    const total = rows.length;
    const pagination = { page, page_size, total, total_pages: Math.ceil(total / page_size) };
    meanwhile();
    return { items, pagination };
  };
  return read;
}

async function walked(read: ReturnType<typeof listOf>): Promise<number[]> {
  const seen: number[] = [];
  for await (const page of pagesOf(SERVICE, read, KEY)) seen.push(...page);
  return seen;
}

const newestFirst = (count: number) => Array.from({ length: count }, (_, index) => count - index);

it('A walk of a command has every row that stays, each once, while rows come and go', async () => {
  const changes = fc.array(fc.record({ added: fc.nat(3), deleted: fc.nat(120) }));
  await fc.assert(
    fc.asyncProperty(fc.nat(700), fc.nat(700), changes, async (count, large, steps) => {
      const rows = newestFirst(count);
      const staying = new Set(rows);
      let newest = count;
      const read = listOf(
        rows,
        (row) => row === large,
        () => {
          const { added, deleted } = steps.shift() ?? { added: 0, deleted: 0 };
          // Only one of the two: the total alone does not show both.
          if (deleted > 0) for (const row of rows.splice(0, deleted)) staying.delete(row);
          else for (let more = 0; more < added; more++) rows.unshift(++newest);
        },
      );
      const seen = await walked(read);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining([...staying]));
    }),
    { numRuns: 200 },
  );
});

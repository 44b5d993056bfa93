// Contract, "List" and "Admin list paging": the pages of every list, and what counts as a page number.

import { beforeAll, expect, it } from 'vitest';
import { sequenceOfId } from '../support/collection-table.js';
import { createFor, describeContract, pagination, type Row } from '../support/contract.js';

const TOTAL = 205;
/** The tenants of the operator's lists. */
const TENANTS = Array.from({ length: TOTAL }, (_, i) => `page-of-${String(i).padStart(3, '0')}`);

const LISTS = [
  { name: 'records', path: '/services?', usual: 20, most: 100 },
  { name: 'found records', path: '/services?q=TZS&', usual: 20, most: 100 },
  { name: "tenant's records", path: '/admin/accounts/owner/services?', usual: 50, most: 200 },
  { name: 'tenants', path: '/admin/accounts?q=page-of-&', usual: 50, most: 200 },
  { name: 'audit events', path: '/admin/audit?', usual: 50, most: 200 },
] as const;
type List = (typeof LISTS)[number];

/** Query, page and page size. */
const PAGES: readonly (readonly [query: string, page: number, size: number | 'usual' | 'most'])[] =
  [
    ['', 1, 'usual'],
    ['page=3', 3, 'usual'],
    ['page=205&page_size=1', 205, 1],
    ['page=206&page_size=1', 206, 1],
    ['page=2&page_size=201', 2, 'most'],
    ['page=9007199254740992&page_size=200', 9007199254740991, 'most'],
    [`page=${'9'.repeat(400)}&page_size=${'9'.repeat(400)}`, 9007199254740991, 'most'],
    ['page=002&page_size=0010', 2, 10],
    ['page=2&sort=name&order=asc&offset=3&limit=1&Page=3&PAGE_SIZE=4&pageSize=5', 2, 'usual'],
    // Values that are not page numbers; a + that is not escaped is a space.
    ...['', '0', '-1', '1.5', '1e2', ' 2', '%2B2', '+2', '２', '0x10', '2%0A', '%002'].flatMap(
      (value) => [
        [`page=${value}&page_size=10`, 1, 10] as const,
        [`page=2&page_size=${value}`, 2, 'usual'] as const,
      ],
    ),
  ];

const CASES = PAGES.flatMap(([query, page, size]) =>
  LISTS.map((list) => ({
    ...list,
    query,
    page,
    size: typeof size === 'number' ? size : list[size],
  })),
);

describeContract(
  'Paging',
  (service) => {
    const account = service.account('owner');
    /** The keys of a page's rows, and its `meta.pagination`. */
    const pageOf = async ({ path }: Pick<List, 'path'>, query: string) => {
      const caller = path.startsWith('/admin') ? service.operator : account;
      const { data, meta } = (await caller.get<Row[]>(path + query)).json;
      // Audit events have numbers, tenants have no id.
      const keys = data.map(({ id, owner_sub }) => String(id ?? owner_sub));
      return { keys, pagination: meta.pagination };
    };
    const wholeOf = async (list: List, size: number) => {
      const pages = Array.from({ length: Math.ceil(TOTAL / size) }, (_, n) => n + 1);
      const queries = pages.map((page) => pageOf(list, `page=${page}&page_size=${size}`));
      return (await Promise.all(queries)).flatMap(({ keys }) => keys);
    };
    const whole = new Map<string, string[]>();
    beforeAll(async () => {
      const prices = TENANTS.map((_, n) => n + 1);
      await Promise.all(prices.map((price) => account.create('services', { name: 'Hem', price })));
      await Promise.all(TENANTS.map((owner) => createFor(service.operator, owner, 'team')));
      for (const list of LISTS) whole.set(list.name, await wholeOf(list, list.most));
    });

    it.each(LISTS)('shows each of the $name once, in order', async (list) => {
      const keys = whole.get(list.name) ?? [];
      expect(new Set(keys).size).toBe(TOTAL);
      const newestFirst = (a: string, b: string) => sequenceOfId(b) - sequenceOfId(a);
      expect(keys).toEqual(keys.toSorted(list.name === 'tenants' ? undefined : newestFirst));
      expect(await wholeOf(list, 33)).toEqual(keys);
    });

    it.each(CASES)('handles ?$query of the $name', async ({ query, page, size, ...list }) => {
      const shown = await pageOf(list, query);
      expect(shown.keys).toEqual(whole.get(list.name)?.slice((page - 1) * size, page * size));
      expect(shown.pagination).toEqual(pagination(page, size, TOTAL, Math.ceil(TOTAL / size)));
    });
  },
  { ownService: true },
);

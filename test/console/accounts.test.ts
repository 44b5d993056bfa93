// The list of accounts: business names, order, and records of any account by telephone
// number or id.

import { beforeAll, describe, expect, it } from 'vitest';
import { byCollection } from '../../src/core/domain/collection-name.js';
import type { AccountSummary } from '../../src/operator-client.js';
import { findRecords, wantedBy } from '../../src/tools/console/record-search.js';
import type { ConsoleService as AskedService } from '../../src/tools/console/service.js';
import { consoleOfFile, plainText } from '../support/console-visitor.js';

const on = consoleOfFile();

const SHOPS = [
  ['auth0|c', 'Amani <b>Salon</b>', 1],
  ['auth0|a', 'Zawadi Tailoring', 3],
  ['auth0|b', undefined, 2],
] as const;

beforeAll(async () => {
  for (const [subject, businessName, customers] of SHOPS) {
    const records = on.service.client.recordsOf(subject);
    if (businessName !== undefined) await records.businesses.create({ businessName });
    for (let made = 0; made < customers; made++) {
      await records.customers.create({ name: `N${made}`, phone: `+255 754 000 10${made}` });
    }
  }
  const { orders } = on.service.client.recordsOf('auth0|b');
  await orders.create({ customer: 'N', service: 's', amount: 1, phone: '0713445999', note: '1' });
  for (const phone of ['07 13 44 52 99', '0713-44-52-99', '0713.44.52.99', '0 7 1 3 4 4 5 2 9 9']) {
    await on.service.client.recordsOf('auth0|d').team.create({ name: 'G', phone });
  }
});
it('The list of accounts shows business names, and the subject of one that has none', async () => {
  const { text } = await on.visitor.get('/accounts');
  const first = [...text.matchAll(/<th scope="row"><bdi><a href="[^"]+">([^<]*)/g)];
  const names = first.map(([, name = '']) => plainText(name));
  const own = names.filter((name) => !name.startsWith('Mwangaza'));
  expect(own).toEqual(['Zawadi Tailoring', 'auth0|b', 'Amani <b>Salon</b>', 'auth0|d']);
});

describe('A record of any account', () => {
  it.each([
    ['0754000101', ['auth0|a', 'auth0|b']],
    ['+255 754-000-101', ['auth0|a', 'auth0|b']],
    ['00255754000102', ['auth0|a']],
    ['(0713) 445 999', ['auth0|b']],
    ['0713 445 998', []],
    // In any grouping.
    ['0713445299', ['auth0|d', 'auth0|d', 'auth0|d', 'auth0|d']],
    ['+255 71 344 5299', ['auth0|d', 'auth0|d', 'auth0|d', 'auth0|d']],
  ])('is found by the telephone number %s', async (phone, subjects) => {
    const { text } = await on.visitor.get(`/accounts?q=${encodeURIComponent(phone)}`);
    const found = [
      ...text.matchAll(/href="\/accounts\/([^/"]+)\/(?:customers|orders|team)\/[^"]+"/g),
    ];
    expect(found.map(([, subject = '']) => decodeURIComponent(subject))).toEqual(subjects);
    expect(text).toContain('all accounts were searched');
  });

  it('is found by its id, a payment by the order’s', async () => {
    const { items } = await on.service.client.recordsOf('auth0|b').orders.list();
    const id = items[0]?.id ?? '';
    for (const q of [id, id.toLowerCase(), ` ${id.replace('ORD', 'PAY')} `]) {
      const { text } = await on.visitor.get(`/accounts?q=${encodeURIComponent(q)}`);
      expect(text).toContain(`href="/accounts/auth0%7Cb/orders/${id}"`);
    }
    expect((await on.visitor.get('/accounts?q=ORD-9999')).text).toContain(
      '0 with the id ORD-9999; all accounts were searched',
    );
  });

  it.each(['salon', 'ORD', 'ORD-', 'XYZ-1', '12345', 'auth0|0713445210'])(
    'is not looked for where the text is %s',
    (text) => {
      expect(wantedBy(text)).toBeUndefined();
    },
  );

  it('is looked for in a few seconds’ worth of accounts, and then further', async () => {
    let now = 0;
    const service = manyAccounts(120, () => {
      now += 100;
    });
    const wanted = wantedBy('0713445210');
    if (wanted === undefined) throw new Error('no telephone number');
    const bounds = { maxMs: 5_000, foundMax: 20, clock: () => now };
    const first = await findRecords(service, wanted, bounds);
    expect(first).toMatchObject({ looked: 50, total: 120, next: 2 });
    const second = await findRecords(service, wanted, { ...bounds, maxMs: 60_000 }, first.next);
    expect(second).toMatchObject({ looked: 70, total: 120, next: undefined });
  });
});

/** A service with so many accounts of one profile each. */
function manyAccounts(count: number, onAsk: () => void) {
  const resources = byCollection((name) => (name === 'businesses' ? 1 : 0));
  const summaries = Array.from({ length: count }, (_, index): AccountSummary => {
    return { owner_sub: `shop-${index}`, record_count: 1, resources };
  });
  const list = async ({ page = 1, page_size = 50 }) => {
    const items = summaries.slice((page - 1) * page_size, page * page_size);
    const total_pages = Math.ceil(count / page_size);
    return { items, pagination: { page, page_size, total: count, total_pages } };
  };
  const records = () => ({
    list: async () => {
      onAsk();
      return {
        items: [{ id: 'BIZ-0001' }],
        pagination: { page: 1, page_size: 5, total: 1, total_pages: 1 },
      };
    },
  });
  return { client: { accounts: { list } }, records } as unknown as AskedService;
}

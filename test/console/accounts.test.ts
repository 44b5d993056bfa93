// The list of accounts: business names, order, and records of any account by telephone
// number or id.

import { beforeAll, describe, expect, it } from 'vitest';
import { wantedBy } from '../../src/tools/console/record-search.js';
import { consoleOfFile, openConsole, plainText } from '../support/console-visitor.js';

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
    for (let made = 0; made < 60; made++) {
      const { customers } = on.service.client.recordsOf(`shop-${made}`);
      await customers.create({ name: 'N', phone: '1' });
    }
    let now = 0;
    const clock = () => {
      now += 6_000;
      return now;
    };
    const slow = await openConsole({ SERVICE_URL: on.service.url }, { clock });
    try {
      const visitor = await slow.signedIn();
      const { text } = await visitor.get('/accounts?q=0713445998');
      expect(text).toContain('50 of 65 accounts were searched');
      const [, rest = ''] = /href="([^"]+)">Search the rest/.exec(text) ?? [];
      expect((await visitor.get(plainText(rest))).text).toContain('all accounts were searched');
    } finally {
      await slow.close();
    }
  });
});

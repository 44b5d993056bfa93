// The list of accounts: business names, order, and records of any account by telephone number or id.

import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { wantedBy } from '../../src/tools/console/record-search.js';
import { consoleOfFile, openConsole, plainText } from '../support/console-visitor.js';

const on = consoleOfFile();
const find = (q: string) => on.visitor.get(`/accounts?q=${encodeURIComponent(q)}`);

beforeAll(async () => {
  const recordsOf = (subject: string) => on.service.client.recordsOf(`auth0|${subject}`);
  for (const [subject, businessName, customers] of [
    ['c', 'Amani <b>Salon</b>', 1],
    ['a', 'Zawadi Tailoring', 3],
    ['b', undefined, 2],
  ] as const) {
    const records = recordsOf(subject);
    if (businessName !== undefined) await records.businesses.create({ businessName });
    for (let made = 0; made < customers; made++) {
      await records.customers.create({ name: `N${made}`, phone: `+255 754 000 10${made}` });
    }
  }
  const order = { customer: 'N', service: 's', amount: 1, phone: '0713445999', note: '1' };
  await recordsOf('b').orders.create(order);
  for (const phone of ['07 13 44 52 99', '0713-44-52-99', '0713.44.52.99', '0 7 1 3 4 4 5 2 9 9']) {
    await recordsOf('d').team.create({ name: 'G', phone });
  }
});

it('The list of accounts shows business names, and the subject of one that has none', async () => {
  const { text } = await on.visitor.get('/accounts');
  const names = [...text.matchAll(/<th scope="row"><bdi><a href="[^"]+">([^<]*)/g)]
    .map(([, name = '']) => plainText(name))
    .filter((name) => !name.startsWith('Mwangaza'));
  expect(names).toEqual(['Zawadi Tailoring', 'auth0|b', 'Amani <b>Salon</b>', 'auth0|d']);
});

it.each([
  ['0754000101', 'ab'],
  ['+255 754-000-101', 'ab'],
  ['00255754000102', 'a'],
  ['(0713) 445 999', 'b'],
  ['0713 445 998', ''],
  ['0713445299', 'dddd'],
  ['+255 71 344 5299', 'dddd'],
])('Records of any account are found by the telephone number %s', async (phone, subjects) => {
  const { text } = await find(phone);
  const found = text.matchAll(/href="\/accounts\/auth0%7C(\w)\/(?:customers|orders|team)\/[^"]+"/g);
  expect([...found].map(([, subject = '']) => subject).join('')).toBe(subjects);
  expect(text).toContain('all accounts were searched');
});

it('A record of any account is found by its id, a payment by the order’s', async () => {
  const { items } = await on.service.client.recordsOf('auth0|b').orders.list();
  const id = items[0]?.id ?? '';
  for (const q of [id, id.toLowerCase(), ` ${id.replace('ORD', 'PAY')} `]) {
    expect((await find(q)).text).toContain(`href="/accounts/auth0%7Cb/orders/${id}"`);
  }
  const none = '0 records with the id ORD-9999; all accounts were searched';
  expect((await find('ORD-9999')).text).toContain(none);
  for (const text of ['salon', 'ORD', 'ORD-', 'XYZ-1', '12345', 'auth0|0713445210']) {
    expect(wantedBy(text), text).toBeUndefined();
  }
});

it('A record is looked for in a few seconds’ worth of accounts, and then further', async () => {
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
  onTestFinished(() => slow.close());
  const visitor = await slow.signedIn();
  const { text } = await visitor.get('/accounts?q=0713445998');
  expect(text).toContain('50 of 65 accounts were searched');
  const [, rest = ''] = /href="([^"]+)">Search the rest/.exec(text) ?? [];
  expect((await visitor.get(plainText(rest))).text).toContain('all accounts were searched');
});

// The list of accounts, and the download of a collection.

import { beforeAll, expect, it } from 'vitest';
import { consoleOfFile, plainText } from '../support/console-visitor.js';

const SALON = 'auth0|saluni';

const on = consoleOfFile();

beforeAll(async () => {
  for (const [subject, businessName] of Object.entries({
    c: 'Amani <b>Salon</b>',
    a: 'Zawadi',
    b: '',
  })) {
    const { businesses, customers } = on.service.client.recordsOf(`auth0|${subject}`);
    if (businessName !== '') await businesses.create({ businessName });
    await customers.create({ name: 'N', phone: '1' });
  }
});

it('The list of accounts shows business names, and the subject of one that has none', async () => {
  const { text } = await on.visitor.get('/accounts');
  const names = [...text.matchAll(/<th scope="row"><bdi><a href="[^"]+">([^<]*)/g)]
    .map(([, name = '']) => plainText(name))
    .filter((name) => !name.startsWith('Mwangaza'));
  expect(names).toEqual(['Zawadi', 'auth0|b', 'Amani <b>Salon</b>']);
});

it('A download is a CSV file, of which an import makes the same records', async () => {
  const { customers, orders } = on.service.client.recordsOf(SALON);
  for (let made = 0; made < 60; made++) await customers.create({ name: `N${made}`, phone: '1' });
  // As the import of a salon's workbook makes them.
  for (const [amount, paid, date, phone] of [
    [45_000, 20_000.5, '2026-12-31', '713445210'],
    [0.1 + 0.2, 0, '2026-12-31T14:30:00+03:00', '+255754000111'],
    [1_234_567.25, 1250, '2026-11-30', '0713'],
  ] as const) {
    const own = { Idadi: -1.5, Tayari: amount > 1 };
    await orders.create({ customer: 'N1', service: 's', amount, paid, date, phone, ...own });
  }
  const download = (tab: string) => on.visitor.get(`/accounts/auth0%7Csaluni/${tab}/csv`);
  for (const name of ['customers', 'orders'] as const) {
    const { headers, bytes } = await download(name);
    const disposition = `attachment; filename="auth0_saluni-${name}.csv"`;
    expect(headers['content-disposition']).toBe(disposition);
    const csv = await on.service.file(`${name}.csv`, bytes);
    const words = ['import', csv, '--account', 'back', '--into', name, '--in-order'];
    expect(await on.service.run(words)).toMatchObject({ code: 0 });
    expect(await on.service.contents('back', name)).toEqual(await on.service.contents(SALON, name));
  }
  expect((await download('payments')).text).toContain('PAY-');
  expect((await on.visitor.get('/accounts/nobody/customers/csv')).status).toBe(404);
});

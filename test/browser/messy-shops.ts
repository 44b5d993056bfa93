// Thirty shops with two thousand records and names as people write them, so that pages have
// something to show.

import { createOperatorClient } from '../../src/operator-client.js';
import { startServer } from '../support/server-process.js';

const ADMIN_KEY = 'the-operators-key-that-fills-the-shops';

const NAMED = [
  ['auth0|saluni-ya-neema', 'Saluni ya Neema'],
  ['fundi|cherehani', 'Fundi Cherehani'],
  ['..', 'Nukta mbili'],
  ['a b/c?d#e', 'A & B <b>Traders</b> “Ltd”'],
  ['张伟', '张伟的手机维修店'],
  ['مرحبا', 'صالون الياسمين'],
  [`auth0|${'x'.repeat(200)}`, 'Jina refu '.repeat(12).trim()],
  ['no-profile', ''],
] as const;
const CUSTOMERS = [
  ...['Neema Mushi', 'Juma  Ally ', 'REHEMA MWAKYUSA', 'Mama Zawadi (nyumba ya bluu)'],
  ...['O’Brien, Ñandú & Söhne ✂', '张伟', '<script>alert(1)</script>', 'زينب'],
];

/** Makes a database file with the shops, and with the sample shop. */
export async function makeShopsFile(path: string): Promise<void> {
  const server = await startServer({ DATABASE_URL: `file:${path}`, ADMIN_API_KEY: ADMIN_KEY });
  const baseUrl = `${server.origin}/api/v1`;
  const client = createOperatorClient({ baseUrl, adminKey: ADMIN_KEY });
  for (let shop = 0; shop < 30; shop++) {
    const [subject, businessName] = NAMED[shop] ?? [`auth0|shop-${shop}`, `Duka ${shop}`];
    const { businesses, customers, orders, expenses } = client.recordsOf(subject);
    if (businessName !== '') await businesses.create({ businessName });
    const date = '2026-01-14T07:15:00Z';
    const made = Array.from({ length: 33 }, async (_, i) => {
      const name = CUSTOMERS[(shop + i) % CUSTOMERS.length] ?? '';
      const [amount, paid] = [15_000 + 500 * i, i % 2 === 0 ? 15_000 : 0];
      await customers.create({ name, phone: `+255 713 44${i}`, location: 'Kariakoo' });
      await orders.create({ customer: name, service: 'Box braids', amount, paid, date });
    });
    await Promise.all(made);
    await expenses.create({ description: 'LUKU', category: 'Power', date, amount: 9 });
  }
  await client.recordsOf('fundi|cherehani').customers.create({
    name: 'x'.repeat(300),
    phone: 'no space '.repeat(40),
    email: 'a@b',
    ['k'.repeat(200)]: 'v'.repeat(2_000),
  });
  await server.stop();
}

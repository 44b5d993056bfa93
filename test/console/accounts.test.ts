// The list of accounts, and the download of a collection.

import { createServer } from 'node:http';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { consoleOfFile, openConsole, plainText } from '../support/console-visitor.js';
import { onLoopback } from '../support/loopback.js';

const SALON = 'auth0|saluni';

const on = consoleOfFile();

beforeAll(async () => {
  const recordsOf = (subject: string) => on.service.client.recordsOf(`auth0|${subject}`);
  for (const [subject, businessName] of [
    ['c', 'Amani <b>Salon</b>'],
    ['a', 'Zawadi Tailoring'],
    ['b', undefined],
  ] as const) {
    const records = recordsOf(subject);
    if (businessName !== undefined) await records.businesses.create({ businessName });
    await records.customers.create({ name: 'N', phone: '1' });
  }
});

it('The list of accounts shows business names, and the subject of one that has none', async () => {
  const { text } = await on.visitor.get('/accounts');
  const names = [...text.matchAll(/<th scope="row"><bdi><a href="[^"]+">([^<]*)/g)]
    .map(([, name = '']) => plainText(name))
    .filter((name) => !name.startsWith('Mwangaza'));
  expect(names).toEqual(['Zawadi Tailoring', 'auth0|b', 'Amani <b>Salon</b>']);
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
});

it('A download that can’t read every record doesn’t start', async () => {
  const pagination = { page: 1, page_size: 1, total: 2, total_pages: 2 };
  const meta = { request_id: 'r', timestamp: '', pagination };
  const failing = createServer((request, response) => {
    const isSecond = request.url?.includes('page=2') ?? false;
    response.writeHead(isSecond ? 401 : 200, { 'Content-Type': 'application/json' });
    const error = { code: 'UNAUTHORIZED', message: 'm' };
    response.end(JSON.stringify({ meta, ...(isSecond ? { error } : { data: [{ id: 'CUS-1' }] }) }));
  });
  const { origin, close } = await onLoopback(failing);
  onTestFinished(close);
  const broken = await openConsole({ SERVICE_URL: `${origin}/api/v1` });
  onTestFinished(() => broken.close());
  const { status, text } = await (await broken.signedIn()).get('/accounts/a/customers/csv');
  expect([status, text]).toEqual([502, expect.stringContaining('refused the admin key')]);
  expect((await on.visitor.get('/accounts/nobody/customers/csv')).status).toBe(404);
});

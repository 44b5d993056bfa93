// What the pages show: values as text, accounts with any name, no key, failures with a remedy; and
// the download of a collection.

import { createServer } from 'node:http';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { timeText } from '../../src/tools/console/formats.js';
import { fieldsOf } from '../../src/tools/console/properties.js';
import { consoleOfFile, openConsole, plainText } from '../support/console-visitor.js';
import { ADMIN_KEY } from '../support/contract.js';
import { listenLocally } from '../support/listen.js';

const ATTACK = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
const SUBJECTS = ['../x', '..', '.', '~..', 'a/b?c#d', '%2e%2e', `${ATTACK}&amp;`, 'Ñandú ✂ مرحبا'];
const ORDERS = '/accounts/local-preview/orders';

const on = consoleOfFile();
const recordsOf = (subject: string) => on.service.client.recordsOf(subject);

beforeAll(async () => {
  for (const name of SUBJECTS) await recordsOf(name).customers.create({ name, phone: '1' });
});

it.each(SUBJECTS)('Account %j is linked, and its forms change only that account', async (name) => {
  const list = await on.visitor.get('/accounts');
  const links = [...list.text.matchAll(/<th scope="row"><bdi><a href="([^"]+)">([^<]*)/g)];
  const link = links.find(([, , text = '']) => plainText(text) === name)?.[1] ?? '';
  const tab = await on.visitor.get(asBrowser(`${link}/customers`));
  expect(plainText(tab.text)).toContain(name.slice(0, 80));
  // Isolated: an Arabic name would move the adjacent count to its other side.
  expect(tab.text).toMatch(/<bdi><code>.*<\/code><\/bdi> · \d/);
  const record = /<th scope="row"><bdi><a href="([^"]+)"/.exec(tab.text)?.[1] ?? '';
  const form = await on.visitor.submit(asBrowser(`${record}/change`), { do: 'delete' });
  expect(form.headers['location']).toMatch(/\?done=deleted$/);
  const { customers } = recordsOf(name);
  expect((await customers.list()).pagination.total).toBe(0);
  await customers.create({ name, phone: '1' });
});

it('An account that does not or cannot exist is 404, with a link to the accounts', async () => {
  for (const path of ['nobody/orders', '%00/orders', '%00/orders/ORD-0001', '%00/orders/csv']) {
    const { status, text } = await on.visitor.get(`/accounts/${path}`);
    const words = expect.stringMatching(/no such (account|record).*href="\/accounts"/is);
    expect([status, text]).toEqual([404, words]);
  }
});

it.each(COLLECTION_NAMES)('<script> in any field of %s is text on every page', async (name) => {
  const subject = `${ATTACK}&amp;`;
  const body: Record<string, unknown> = { [ATTACK]: { [ATTACK]: [ATTACK] }, role: ATTACK };
  for (const { name: field, kind } of fieldsOf(name)) {
    body[field] = kind === 'number' || kind === 'money' ? 5 : ATTACK;
  }
  const { id } = await recordsOf(subject)[name].create(body as never);
  const base = `/accounts/${encodeURIComponent(subject)}`;
  const q = `?q=${encodeURIComponent(ATTACK)}`;
  const own = ['payments', name, `${name}${q}`, `${name}/new`, `${name}/${id}/change`];
  const others = ['/', '/accounts', `/accounts${q}`, `/audit?account=${base.slice(10)}`];
  const shown = `${base}/${name}/${id}`;
  for (const path of [...others, ...own.map((rest) => `${base}/${rest}`), shown]) {
    const { text, status } = await on.visitor.get(path);
    expect(status, path).toBe(200);
    expect(text, path).not.toMatch(/<script>|<img src=x|\bonerror=alert\(1\)>(?!")/);
    if (path === shown) expect(plainText(text)).toContain(ATTACK);
  }
});

it('No page exceeds 30,000 bytes, and neither the pages nor the log contain the key', async () => {
  const order = `${ORDERS}/ORD-0002`;
  const lists = ['/', '/accounts', '/accounts?q=local', '/audit', '/health', '/x', '/%', ORDERS];
  for (const path of [...lists, order, `${order}/change`, '/console.css']) {
    const { text, headers, bytes } = await on.visitor.get(path);
    expect(text + JSON.stringify(headers), path).not.toContain(ADMIN_KEY);
    expect(bytes.length, path).toBeLessThan(path.includes('.') ? 10_000 : 30_000);
  }
  expect(on.console.log()).not.toContain(ADMIN_KEY);
});

it('All times on all pages are in the zone of Dar es Salaam', async () => {
  const order = `${ORDERS}/ORD-0001`;
  await recordsOf('local-preview').orders.update('ORD-0001', { assignee: 'Asha' });
  const { items } = await on.service.client.audit.list({ page_size: 1 });
  const changed = timeText(items[0]?.timestamp ?? '');
  const taken = '12 Jan 2026, 11:00';
  for (const [path = '', ...wanted] of [
    [ORDERS, taken],
    [order, taken, changed],
    [`${order}/change`, ` · now ${taken}`],
    ['/health', 'Africa/Dar_es_Salaam'],
  ]) {
    const { text } = await on.visitor.get(path);
    for (const time of wanted) expect(text, path).toContain(time);
    // The stored value is shown unchanged, in the JSON and in its field.
    const words = text.replaceAll(/<(pre|textarea)\b.*?<\/\1>|<[^>]*>/gs, ' ');
    expect(words, path).not.toMatch(/\d{4}-\d\d-\d\dT/);
  }
});

it('A list shows its total and 25 records a page, however large; an empty list says so', async () => {
  const { businesses, orders } = recordsOf('many');
  await businesses.create({ businessName: 'Duka <b>' });
  const order = { service: 's', amount: 1_234_567 };
  for (let made = 0; made < 27; made++) {
    const photo = 'x'.repeat(made < 13 ? 1_000_000 : 0);
    await orders.create({ customer: `C${made}`, ...order, photo });
  }
  const idsIn = (text: string) =>
    [...text.matchAll(/<th scope="row"><bdi><a[^>]*>([A-Z]+-\d+)/g)].map(([, id]) => id);
  const { text } = await on.visitor.get('/accounts/many/orders');
  const next = plainText(/href="([^"]+)" rel="next"/.exec(text)?.[1] ?? '');
  const ids = [...idsIn(text), ...idsIn((await on.visitor.get(next)).text)];
  expect([ids.length, new Set(ids).size]).toEqual([27, 27]);
  for (const [path, ...words] of [
    ['many/orders', '27 in all', 'Page 1 of 2', '<small>TZS</small> 1,234,567</bdi></td>'],
    ['many/orders?page=9', 'This page is empty.'],
    ['many/orders?q=C13', '1 found.'],
    ['?q=duka', '1 account found', '>Duka &lt;b&gt;</a>'],
    ['?q=zzz', 'Try a shorter part'],
  ]) {
    const page = await on.visitor.get(`/accounts/${path}`.replace('/?', '?'));
    const shown = page.text.replaceAll(/\s+/g, ' ');
    for (const part of words) expect(shown).toContain(part);
  }
});

it.each([
  [401, 'UNAUTHORIZED', /refused the admin key/],
  [500, 'INTERNAL_ERROR', /returned INTERNAL_ERROR.*req_1/s],
])('A page that fails shows the service’s error: %i %s', async (status, code, sentence) => {
  const failing = createServer((_, response) => {
    response.writeHead(status, { 'X-Request-ID': 'req_1' });
    response.end(JSON.stringify({ error: { code, message: 'm' } }));
  });
  const { origin, close } = await listenLocally(failing);
  onTestFinished(close);
  const away = await openConsole({ SERVICE_URL: `${origin}/api/v1` });
  onTestFinished(() => away.close());
  const page = await (await away.signedIn()).get('/accounts');
  expect([page.status, page.text]).toEqual([502, expect.stringMatching(sentence)]);
  expect(away.log() + page.text).not.toContain(ADMIN_KEY);
});

it('An import of a downloaded CSV file gives the same records', async () => {
  const { customers, orders } = recordsOf('auth0|saluni');
  for (let made = 0; made < 30; made++) await customers.create({ name: `N${made}`, phone: '1' });
  // As the import of a salon's workbook creates them.
  for (const [amount, paid, date, phone] of [
    [45_000, 20_000.5, '2026-12-31', '713445210'],
    [0.1 + 0.2, 0, '2026-12-31T14:30:00+03:00', '+255754000111'],
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
    const made = await on.service.contents('back', name);
    expect(made).toEqual(await on.service.contents('auth0|saluni', name));
  }
  expect((await download('payments')).text).toContain('PAY-');
});

/** A link's target as a browser requests it, with dot segments resolved. */
function asBrowser(link: string): string {
  const { pathname, search } = new URL(plainText(link), on.console.origin);
  return pathname + search;
}

// What the pages show: values as text, accounts of any name, no key, and failures
// that say what to do.

import { createServer, type RequestListener } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { formatsFor } from '../../src/tools/console/formats.js';
import { fieldsOf } from '../../src/tools/console/properties.js';
import { consoleOfFile, openConsole, plainText } from '../support/console-visitor.js';
import { ADMIN_KEY } from '../support/contract.js';
import { onLoopback } from '../support/loopback.js';

const ATTACK = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
const SUBJECTS = ['../x', '..', '.', '~..', 'a/b?c#d', '%2e%2e', `${ATTACK}&amp;`, 'Ñandú ✂ مرحبا'];

const on = consoleOfFile();

beforeAll(async () => {
  for (const subject of SUBJECTS) {
    await on.service.client
      .recordsOf(subject)
      .customers.create({ name: `N ${subject}`, phone: '1' });
  }
});
describe('An account', () => {
  it.each(SUBJECTS)(
    'named %j is reached by links, and its forms change this account only',
    async (name) => {
      const list = await on.visitor.get('/accounts');
      const links = [...list.text.matchAll(/<th scope="row"><bdi><a href="([^"]+)">([^<]*)/g)];
      const link = links.find(([, , text = '']) => plainText(text) === name)?.[1] ?? '';
      const account = await on.visitor.get(asBrowser(link));
      expect(account.status).toBe(303);
      const tab = await on.visitor.get(asBrowser(String(account.headers['location'])));
      expect(plainText(tab.text)).toContain(`N ${name}`.slice(0, 80));
      const record = /<th scope="row"><bdi><a href="([^"]+)"/.exec(tab.text)?.[1] ?? '';
      const form = await on.visitor.submit(asBrowser(`${record}/change`), { do: 'delete' });
      expect(form.headers['location']).toMatch(/\?done=deleted$/);
      expect((await on.service.client.recordsOf(name).customers.list()).pagination.total).toBe(0);
      await on.service.client.recordsOf(name).customers.create({ name: `N ${name}`, phone: '1' });
    },
  );

  it('that does not exist is 404, with a link to the accounts', async () => {
    const visit = await on.visitor.get('/accounts/nobody');
    expect(visit.status).toBe(404);
    expect(visit.text).toContain('href="/accounts"');
  });

  it.each(['', '/orders', '/orders/ORD-0001', '/export'])(
    'of a subject that no account can have is 404, as that of an unknown account: %s',
    async (path) => {
      const { status, text } = await on.visitor.get(`/accounts/%00${path}`);
      expect(status).toBe(404);
      expect(text).toMatch(/no such (account|record)/i);
    },
  );
});

describe('<script> in every field', () => {
  it.each(COLLECTION_NAMES)('of %s is text on every page', async (collection) => {
    const subject = `${ATTACK}&amp;`;
    const body: Record<string, unknown> = { [ATTACK]: { [ATTACK]: [ATTACK] }, role: ATTACK };
    for (const { name, kind } of fieldsOf(collection)) {
      body[name] = kind === 'number' || kind === 'money' ? 5 : ATTACK;
    }
    const records = on.service.client.recordsOf(subject)[collection];
    const { id } = await records.create(body as never);
    const base = `/accounts/${encodeURIComponent(subject)}`;
    const paths = ['/', '/accounts', `/accounts?q=${encodeURIComponent(ATTACK)}`, `${base}/erase`]
      .concat([`${base}/payments`, `/audit?account=${encodeURIComponent(subject)}`])
      .concat(['', '/new'].map((rest) => `${base}/${collection}${rest}`))
      .concat(['', '/change'].map((rest) => `${base}/${collection}/${id}${rest}`))
      .concat([`${base}/${collection}?q=${encodeURIComponent(ATTACK)}`]);
    for (const path of paths) {
      const { text, status } = await on.visitor.get(path);
      expect(status, path).toBe(200);
      expect(text, path).not.toMatch(/<script>|<img src=x|\bonerror=alert\(1\)>(?!")/);
    }
    const shown = await on.visitor.get(`${base}/${collection}/${id}`);
    expect(plainText(shown.text)).toContain(ATTACK);
  });
});

it('No page is longer than 30,000 bytes, and none has the key, as no line of the log has', async () => {
  const order = '/accounts/local-preview/orders/ORD-0002';
  const paths = ['/', '/accounts', '/accounts?q=local', '/audit', '/health', '/x', '/%'].concat([
    '/accounts/local-preview/orders',
    order,
    `${order}/change`,
  ]);
  for (const path of paths) {
    const { text, headers, bytes } = await on.visitor.get(path);
    expect(text + JSON.stringify(headers), path).not.toContain(ADMIN_KEY);
    expect(bytes.length, path).toBeLessThan(30_000);
  }
  expect(on.console.log()).not.toContain(ADMIN_KEY);
  const sizes = ['/console.css', '/page-script.js'].map(
    async (path) => (await on.visitor.get(path)).bytes.length,
  );
  const [style = 0, script = 0] = await Promise.all(sizes);
  expect([style < 10_000, script < 1_500]).toEqual([true, true]);
});

it('Every time of every page is in CONSOLE_TIME_ZONE', async () => {
  // A quarter of an hour beside all others.
  const timeZone = 'Australia/Eucla';
  const { time } = formatsFor(timeZone);
  const there = await openConsole({ SERVICE_URL: on.service.url, CONSOLE_TIME_ZONE: timeZone });
  const order = '/accounts/local-preview/orders/ORD-0001';
  await on.service.client
    .recordsOf('local-preview')
    .orders.update('ORD-0001', { assignee: 'Asha' });
  const { items } = await on.service.client.audit.list({ page_size: 1 });
  const changed = time(items[0]?.timestamp ?? '');
  try {
    const reader = await there.signedIn();
    const shown: readonly [string, string][] = [
      ['/', changed],
      ['/audit', changed],
      ['/accounts/local-preview/orders', '12 Jan 2026, 16:45'],
      [order, '12 Jan 2026, 16:45'],
      [order, changed],
      [`${order}/change`, ' · now 12 Jan 2026, 16:45'],
      ['/health', ''],
      ['/accounts', ''],
    ];
    for (const [path, wanted] of shown) {
      const { text } = await reader.get(path);
      expect(text, path).toContain(wanted);
      expect(text, path).toContain(`Times are in ${timeZone}`);
      // What is stored is shown as it is, in the JSON and in the field that changes it.
      const words = text.replaceAll(/<(pre|textarea)\b.*?<\/\1>|<[^>]*>/gs, ' ');
      expect(words, path).not.toMatch(/\d{4}-\d\d-\d\dT/);
    }
  } finally {
    await there.close();
  }
});

it('A list says how many there are, and pages; an empty one says so', async () => {
  const orders = on.service.client.recordsOf('many').orders;
  for (let made = 0; made < 27; made++) {
    await orders.create({ customer: `C${made}`, service: 's', amount: 1_234_567 });
  }
  const { text } = await on.visitor.get('/accounts/many/orders');
  const parts = ['27 in all', 'Page 1 of 2', '<small>TZS</small> 1,234,567</bdi></td>'];
  for (const part of parts) expect(text).toContain(part);
  const next = plainText(/href="([^"]+)" rel="next"/.exec(text)?.[1] ?? '');
  expect((await on.visitor.get(next)).text.match(/<th scope="row"/g)).toHaveLength(2);
  for (const [path, words] of [
    ['/accounts/many/orders?page=9', 'This page is empty.'],
    ['/accounts/many/orders?q=C13', '1 with “C13”'],
    ['/accounts/many/team', '0 in all'],
    ['/accounts?q=zzz', 'Try a shorter part'],
  ] as const) {
    expect((await on.visitor.get(path)).text).toContain(words);
  }
});

describe('A page that fails', () => {
  const answer =
    (status: number, code: string): RequestListener =>
    (_, response) => {
      const error = { code, message: 'm' };
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error, meta: { request_id: 'req_1', timestamp: '' } }));
    };
  it.each([
    ['that the key is refused', answer(401, 'UNAUTHORIZED'), /refused the admin key/],
    ['that the API is off', answer(503, 'ADMIN_DISABLED'), /administration API is off/],
    ['that a proxy limits requests', answer(429, 'RATE_LIMITED'), /limits requests/],
    ['what it was answered', answer(500, 'INTERNAL_ERROR'), /answered INTERNAL_ERROR.*req_1/s],
    ['that the service is slow', () => {}, /did not answer in time/],
  ])('says %s', async (_, listener, sentence) => {
    const { origin, close } = await onLoopback(createServer(listener));
    const away = await openConsole({ SERVICE_URL: `${origin}/api/v1` }, { answerMaxMs: 200 });
    try {
      const { status, text } = await (await away.signedIn()).get('/accounts');
      expect(status).toBeGreaterThanOrEqual(502);
      expect(text).toMatch(sentence);
      expect(text).toContain('href="/accounts"');
      expect(away.log() + text).not.toContain(ADMIN_KEY);
    } finally {
      await away.close();
      await close();
    }
  });
});

/** A link's target as a browser asks for it: it resolves dot segments. */
function asBrowser(link: string): string {
  const { pathname, search } = new URL(plainText(link), on.console.origin);
  return pathname + search;
}

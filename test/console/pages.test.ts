// What the pages show: values as text, accounts of any name, no key, and failures
// that say what to do.

import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import { formatsFor } from '../../src/tools/console/formats.js';
import { fieldsOf } from '../../src/tools/console/properties.js';
import {
  ADMIN_KEY,
  type ConsoleService,
  type OpenConsole,
  openConsole,
  openService,
  plainText,
  type Visitor,
} from '../support/console-visitor.js';
import { onLoopback } from '../support/loopback.js';
import { DOCUMENT } from '../support/openapi-document.js';

const ATTACK = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
const SUBJECTS = ['../x', '..', '.', '~..', 'a/b?c#d', '%2e%2e', `${ATTACK}&amp;`, 'Ñandú ✂ مرحبا'];

let service: ConsoleService;
let console_: OpenConsole;
let visitor: Visitor;

beforeAll(async () => {
  service = await openService();
  for (const subject of SUBJECTS) {
    await service.client.recordsOf(subject).customers.create({ name: `N ${subject}`, phone: '1' });
  }
  console_ = await openConsole({ SERVICE_URL: service.url });
  visitor = await console_.signedIn();
});
afterAll(async () => {
  await console_?.close();
  await service?.close();
});

describe('An account', () => {
  it.each(SUBJECTS)(
    'named %j is reached by links, and its forms change this account only',
    async (name) => {
      const list = await visitor.get('/accounts');
      const links = [...list.text.matchAll(/<th scope="row"><bdi><a href="([^"]+)">([^<]*)/g)];
      const link = links.find(([, , text = '']) => plainText(text) === name)?.[1] ?? '';
      const account = await visitor.get(asBrowser(link));
      expect(account.status).toBe(303);
      const tab = await visitor.get(asBrowser(String(account.headers['location'])));
      expect(plainText(tab.text)).toContain(`N ${name}`.slice(0, 80));
      const record = /<th scope="row"><bdi><a href="([^"]+)"/.exec(tab.text)?.[1] ?? '';
      const form = await visitor.submit(asBrowser(`${record}/change`), { do: 'delete' });
      expect(form.headers['location']).toMatch(/\?done=deleted$/);
      expect((await service.client.recordsOf(name).customers.list()).pagination.total).toBe(0);
      await service.client.recordsOf(name).customers.create({ name: `N ${name}`, phone: '1' });
    },
  );

  it('that does not exist is 404, with a link to the accounts', async () => {
    const visit = await visitor.get('/accounts/nobody');
    expect(visit.status).toBe(404);
    expect(visit.text).toContain('href="/accounts"');
  });

  it.each(['', '/orders', '/orders/ORD-0001', '/export'])(
    'of a subject that no account can have is 404, as that of an unknown account: %s',
    async (path) => {
      const { status, text } = await visitor.get(`/accounts/%00${path}`);
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
    const records = service.client.recordsOf(subject)[collection];
    const { id } = await records.create(body as never);
    const base = `/accounts/${encodeURIComponent(subject)}`;
    const paths = ['/', '/accounts', `/accounts?q=${encodeURIComponent(ATTACK)}`, `${base}/erase`]
      .concat([`${base}/payments`, `/audit?account=${encodeURIComponent(subject)}`])
      .concat(['', '/new'].map((rest) => `${base}/${collection}${rest}`))
      .concat(['', '/change'].map((rest) => `${base}/${collection}/${id}${rest}`))
      .concat([`${base}/${collection}?q=${encodeURIComponent(ATTACK)}`]);
    for (const path of paths) {
      const { text, status } = await visitor.get(path);
      expect(status, path).toBe(200);
      expect(text, path).not.toMatch(/<script>|<img src=x|\bonerror=alert\(1\)>(?!")/);
    }
    const shown = await visitor.get(`${base}/${collection}/${id}`);
    expect(plainText(shown.text)).toContain(ATTACK);
  });
});

it('The key is in no page, header or line of the log', async () => {
  const paths = [
    '/',
    '/accounts',
    '/accounts/local-preview/orders',
    '/audit',
    '/health',
    '/x',
    '/%',
  ];
  for (const path of paths) {
    const { text, headers } = await visitor.get(path);
    expect(text + JSON.stringify(headers), path).not.toContain(ADMIN_KEY);
  }
  expect(console_.log()).not.toContain(ADMIN_KEY);
});

it('Every time of every page is in CONSOLE_TIME_ZONE', async () => {
  // A quarter of an hour beside all others.
  const timeZone = 'Australia/Eucla';
  const { time } = formatsFor(timeZone);
  const there = await openConsole({ SERVICE_URL: service.url, CONSOLE_TIME_ZONE: timeZone });
  const order = '/accounts/local-preview/orders/ORD-0001';
  await service.client.recordsOf('local-preview').orders.update('ORD-0001', { assignee: 'Asha' });
  const { items } = await service.client.audit.list({ page_size: 1 });
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

describe('Lists', () => {
  it('say how many there are, and page', async () => {
    const orders = service.client.recordsOf('many').orders;
    for (let made = 0; made < 27; made++) {
      await orders.create({ customer: `C${made}`, service: 's', amount: 1_234_567 });
    }
    const first = await visitor.get('/accounts/many/orders');
    expect(first.text).toContain('27 in all');
    expect(first.text).toContain('Page 1 of 2');
    expect(first.text).toContain('<small>TZS</small> 1,234,567</bdi></td>');
    const next = plainText(/href="([^"]+)" rel="next"/.exec(first.text)?.[1] ?? '');
    const second = await visitor.get(next);
    expect(second.text.match(/<th scope="row"/g)).toHaveLength(2);
    const beyond = await visitor.get('/accounts/many/orders?page=9');
    expect(beyond.text).toContain('This page is empty.');
    const searched = await visitor.get('/accounts/many/orders?q=C13');
    expect(searched.text).toContain('1 with “C13”');
  });

  it('that are empty say so', async () => {
    expect((await visitor.get('/accounts/many/team')).text).toContain('0 in all');
    expect((await visitor.get('/accounts?q=zzz')).text).toContain('Try a shorter part');
  });
});

describe('A page that fails', () => {
  it('says that the service is down', async () => {
    const text = await failing('http://127.0.0.1:1/api/v1');
    expect(text).toContain('The service does not answer.');
    expect(text).toContain('http://127.0.0.1:1/api/v1');
  });

  it('says that the key is refused', async () => {
    const text = await failing(service.url, {
      ADMIN_API_KEY: 'another-key-of-32-characters-or-more',
    });
    expect(text).toContain('refused the admin key');
    expect(text).not.toContain('another-key');
  });

  it.each([
    [503, 'ADMIN_DISABLED', 'administration API is off'],
    [429, 'RATE_LIMITED', 'limits requests'],
    [500, 'INTERNAL_ERROR', 'The service answered INTERNAL_ERROR. req_1'],
  ])('explains %i %s', async (status, code, sentence) => {
    const meta = { request_id: 'req_1', timestamp: '' };
    const stub = createServer((_, response) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error: { code, message: 'm' }, meta }));
    });
    await listening(stub, async (url) => {
      const words = sentence.split(' req_1');
      const text = await failing(url);
      expect(text).toContain(words[0]);
      if (words.length > 1) expect(text).toContain('req_1');
    });
  });

  it('says that the service is slow', async () => {
    const stub = createServer(() => {});
    await listening(stub, async (url) => {
      expect(await failing(url, {}, 50)).toContain('did not answer in time');
    });
  });

  async function failing(
    url: string,
    environment: Record<string, string> = {},
    answerMaxMs = 30_000,
  ): Promise<string> {
    const away = await openConsole({ SERVICE_URL: url, ...environment }, { answerMaxMs });
    try {
      const stranger = away.visitor();
      await stranger.signIn(away.codes.at(-1) ?? '');
      const visit = await stranger.get('/accounts');
      expect(visit.status).toBeGreaterThanOrEqual(502);
      expect(visit.text).toContain('href="/accounts"');
      expect(away.log() + visit.text).not.toContain(environment['ADMIN_API_KEY'] ?? ADMIN_KEY);
      return visit.text;
    } finally {
      await away.close();
    }
  }
});

it('Forms have the properties of the API’s description', () => {
  for (const name of COLLECTION_NAMES) {
    const described = DOCUMENT.components['schemas']?.[`New${COLLECTIONS[name].names.one}`];
    const { properties, required = [] } = described as { properties: object; required?: string[] };
    const wanted = Object.keys(properties).filter((property) => property !== 'customFields');
    const fields = fieldsOf(name);
    expect(fields.map((field) => field.name).sort()).toEqual(wanted.sort());
    const starred = fields.filter(({ isRequired }) => isRequired).map((field) => field.name);
    expect(starred.sort()).toEqual([...required].sort());
  }
});

/** A link's target as a browser asks for it: it resolves dot segments. */
function asBrowser(link: string): string {
  const { pathname, search } = new URL(plainText(link), console_.origin);
  return pathname + search;
}

async function listening(
  server: ReturnType<typeof createServer>,
  act: (url: string) => Promise<void>,
): Promise<void> {
  const { origin, close } = await onLoopback(server);
  try {
    await act(`${origin}/api/v1`);
  } finally {
    await close();
  }
}

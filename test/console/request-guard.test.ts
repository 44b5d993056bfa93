// Who comes in: hosts, forms of other pages, frames, other pages' requests.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ConsoleService,
  type OpenConsole,
  openConsole,
  openService,
  tokenIn,
  type Visitor,
} from '../support/console-visitor.js';

let service: ConsoleService;
let console_: OpenConsole;
let visitor: Visitor;

beforeAll(async () => {
  service = await openService();
  console_ = await openConsole({ SERVICE_URL: service.url });
  visitor = await console_.signedIn();
});
afterAll(async () => {
  await console_?.close();
  await service?.close();
});

describe('A request with another Host', () => {
  it.each([
    'attacker.example',
    'attacker.example:PORT',
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost',
    '127.1:PORT',
  ])('is 421: %s (DNS rebinding)', async (host) => {
    const { port } = new URL(console_.origin);
    const visit = await visitor.get('/', { Host: host.replace('PORT', port) });
    expect(visit.status).toBe(421);
    expect(visit.text).not.toContain('<');
  });

  it('is answered with the headers of every answer, also when it is refused', async () => {
    const { port } = new URL(console_.origin);
    const [refused, answered] = await Promise.all([
      visitor.get('/', { Host: 'attacker.example' }),
      visitor.get('/', { Host: `127.0.0.1:${port}` }),
    ]);
    const names = [
      'content-security-policy',
      'referrer-policy',
      'x-content-type-options',
      'x-frame-options',
      'cross-origin-opener-policy',
      'cross-origin-resource-policy',
      'cache-control',
    ];
    for (const name of names) {
      expect(refused.headers[name], name).toBeDefined();
      expect(refused.headers[name], name).toBe(answered.headers[name]);
    }
  });

  it('is answered when it names this machine and the port', async () => {
    const { port } = new URL(console_.origin);
    const visit = await visitor.get('/sign-in', { Host: `localhost:${port}` });
    expect(visit.status).toBe(303);
  });
});

describe('A form', () => {
  const erase = '/accounts/local-preview/orders/ORD-0001/change';
  const strangers = [
    ['another site', { Origin: 'https://attacker.example', 'Sec-Fetch-Site': 'cross-site' }],
    [
      'another port of this machine',
      { Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'same-site' },
    ],
    ['our origin, as "same-site"', { 'Sec-Fetch-Site': 'same-site' }],
    ['an opaque origin', { Origin: 'null' }],
    ['a program without an origin', { Origin: '' }],
    ['a program without Sec-Fetch-Site', { 'Sec-Fetch-Site': '' }],
    ['our name under another scheme', { Origin: 'https://127.0.0.1' }],
  ] as const;

  it.each(strangers)('from %s is refused, also with cookie and token', async (_, headers) => {
    const visit = await visitor.submit(erase, { do: 'delete' }, headers as Record<string, string>);
    expect(visit.status).toBe(403);
    await expect(recordIsThere()).resolves.toBe(true);
  });

  it.each(strangers)('from %s signs nobody in', async (_, headers) => {
    const stranger = console_.visitor();
    const secret = console_.codes.at(-1) ?? '';
    const visit = await stranger.post('/sign-in', { secret }, headers as Record<string, string>);
    expect(visit.status).toBe(403);
    expect(stranger.cookie).toBe('');
  });

  it.each(strangers)('from %s is refused as JSON, too', async (_, headers) => {
    const json = { 'Content-Type': 'application/json', ...headers };
    const visit = await visitor.submit(erase, { do: 'delete' }, json as Record<string, string>);
    expect(visit.status).toBe(403);
    await expect(recordIsThere()).resolves.toBe(true);
  });

  it('without a token, or with that of another session, is refused', async () => {
    const other = console_.visitor();
    await other.signIn(console_.codes.at(-1) ?? '');
    const foreign = tokenIn((await other.get(erase)).text);
    expect(foreign).not.toBe('');
    for (const fields of [{}, { token: '' }, { token: foreign }]) {
      const visit = await visitor.post(erase, fields as Record<string, string>);
      expect(visit.status).toBe(403);
      expect(visit.text).toContain('not sent from this session');
    }
    await expect(recordIsThere()).resolves.toBe(true);
  });

  it('is refused as anything but a plain form', async () => {
    const visit = await visitor.submit(erase, { do: 'delete' }, { 'Content-Type': 'text/plain' });
    expect(visit.status).toBe(413);
    await expect(recordIsThere()).resolves.toBe(true);
  });

  it('of an ended session changes nothing and leads to the sign-in', async () => {
    const visit = await console_.visitor().post(erase, { token: 'x' });
    expect(visit.status).toBe(401);
    expect(visit.text).toContain('Your session has ended');
    await expect(recordIsThere()).resolves.toBe(true);
  });

  async function recordIsThere(): Promise<boolean> {
    const orders = service.client.recordsOf('local-preview').orders;
    return (await orders.read('ORD-0001')).id === 'ORD-0001';
  }
});

describe('Another page', () => {
  it.each([
    ['cross-site', 'no-cors'],
    ['same-site', 'no-cors'],
    ['same-site', 'cors'],
    ['cross-site', 'websocket'],
  ])('that is %s cannot load the console as %s', async (site, mode) => {
    const visit = await visitor.get('/accounts/local-preview/export', {
      'Sec-Fetch-Site': site,
      'Sec-Fetch-Mode': mode,
    });
    expect(visit.status).toBe(403);
    expect(visit.text).not.toContain('ORD-0001');
  });

  it('cannot frame a page, and receives no address of one as referrer', async () => {
    const paths = ['/', '/accounts', '/health', '/nothing', '/console.css', '/sign-in'];
    for (const path of paths) {
      const { headers } = await visitor.get(path);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['referrer-policy']).toBe('same-origin');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(headers['strict-transport-security']).toBeUndefined();
    }
  });

  it("finds no page in the browser's cache", async () => {
    for (const path of ['/', '/accounts', '/nothing', '/sign-in']) {
      expect((await visitor.get(path)).headers['cache-control']).toBe('no-store');
    }
  });
});

it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])('%s is 405', async (method) => {
  expect((await visitor.send(method, '/', {})).status).toBe(405);
});

it('Without a session every page leads to the sign-in', async () => {
  const stranger = console_.visitor();
  for (const path of ['/', '/accounts', '/accounts/local-preview/export', '/audit', '/health']) {
    const visit = await stranger.get(path);
    expect(visit.status, path).toBe(303);
    expect(visit.headers['location']).toMatch(/^\/sign-in\?next=/);
  }
});

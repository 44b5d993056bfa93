// Who comes in: hosts, forms of other pages, frames, other pages' requests.

import { describe, expect, it } from 'vitest';
import { consoleOfFile, valueIn } from '../support/console-visitor.js';

const on = consoleOfFile();

describe('A request with another Host', () => {
  it.each([
    'attacker.example',
    'attacker.example:PORT',
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost',
    '127.1:PORT',
  ])('is 421: %s (DNS rebinding)', async (host) => {
    const { port } = new URL(on.console.origin);
    const visit = await on.visitor.get('/', { Host: host.replace('PORT', port) });
    expect(visit.status).toBe(421);
    expect(visit.text).not.toContain('<');
  });

  it('is answered when it names this machine and the port', async () => {
    const { port } = new URL(on.console.origin);
    const visit = await on.visitor.get('/sign-in', { Host: `localhost:${port}` });
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

  it.each(strangers)(
    'from %s is refused, also with cookie and token, and signs nobody in',
    async (_, given) => {
      const headers: Record<string, string> = given;
      const type = { 'Content-Type': 'application/json' };
      for (const more of [{}, type]) {
        const visit = await on.visitor.submit(erase, { do: 'delete' }, { ...headers, ...more });
        expect(visit.status).toBe(403);
      }
      await expect(recordIsThere()).resolves.toBe(true);
      const stranger = on.console.visitor();
      const secret = on.console.codes.at(-1) ?? '';
      expect((await stranger.post('/sign-in', { secret }, headers)).status).toBe(403);
      expect(stranger.cookie).toBe('');
    },
  );

  it('without a token, or with that of another session, is refused', async () => {
    const other = on.console.visitor();
    await other.signIn(on.console.codes.at(-1) ?? '');
    const foreign = valueIn((await other.get(erase)).text, 'token');
    expect(foreign).not.toBe('');
    for (const fields of [{}, { token: '' }, { token: foreign }]) {
      const visit = await on.visitor.post(erase, fields as Record<string, string>);
      expect(visit.status).toBe(403);
      expect(visit.text).toContain('not sent from this session');
    }
    await expect(recordIsThere()).resolves.toBe(true);
  });

  it('is refused as anything but a plain form, and after the end of its session', async () => {
    const text = { 'Content-Type': 'text/plain' };
    expect((await on.visitor.submit(erase, { do: 'delete' }, text)).status).toBe(413);
    const visit = await on.console.visitor().post(erase, { token: 'x' });
    expect([visit.status, visit.text]).toEqual([401, expect.stringContaining('session has ended')]);
    await expect(recordIsThere()).resolves.toBe(true);
  });

  async function recordIsThere(): Promise<boolean> {
    const orders = on.service.client.recordsOf('local-preview').orders;
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
    const visit = await on.visitor.get('/accounts/local-preview/export', {
      'Sec-Fetch-Site': site,
      'Sec-Fetch-Mode': mode,
    });
    expect(visit.status).toBe(403);
    expect(visit.text).not.toContain('ORD-0001');
  });

  it('cannot frame a page, receives no address of one, and finds none in the cache', async () => {
    const paths = ['/', '/accounts', '/health', '/nothing', '/sign-in', '/console.css'];
    const visits = await Promise.all(paths.map((path) => on.visitor.get(path)));
    visits.push(await on.visitor.get('/', { Host: 'attacker.example' }));
    for (const { headers } of visits) {
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': expect.stringMatching(/^no-store$|immutable$/),
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(headers['strict-transport-security']).toBeUndefined();
    }
  });
});

it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])('%s is 405', async (method) => {
  expect((await on.visitor.send(method, '/', {})).status).toBe(405);
});

it('Without a session every page leads to the sign-in', async () => {
  const stranger = on.console.visitor();
  for (const path of ['/', '/accounts', '/accounts/local-preview/export', '/audit', '/health']) {
    const visit = await stranger.get(path);
    expect(visit.status, path).toBe(303);
    expect(visit.headers['location']).toMatch(/^\/sign-in\?next=/);
  }
});

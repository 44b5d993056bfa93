// What the guard refuses: other hosts, forms and requests of other pages, frames.

import { expect, it } from 'vitest';
import { consoleOfFile, type Headers } from '../support/console-visitor.js';

const ORDER = '/accounts/local-preview/orders/ORD-0001/change';
const EXPORT = '/accounts/local-preview/orders/csv';

const on = consoleOfFile();

/** Rejects if the record isn't there. */
const readOrder = () => on.service.client.recordsOf('local-preview').orders.read('ORD-0001');

it.each([
  ['attacker.example:PORT', 421],
  ['127.0.0.1', 421],
  ['127.1:PORT', 421],
  ['localhost:PORT', 303],
])('A request with the Host %s is %i (DNS rebinding)', async (host, status) => {
  const { port } = new URL(on.console.origin);
  const visit = await on.visitor.get('/sign-in', { Host: host.replace('PORT', port) });
  expect([visit.status, visit.text.includes('<')]).toEqual([status, false]);
});

it.each<[string, Headers]>([
  ['another port here', { Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'same-site' }],
  ['our origin, as "same-site"', { 'Sec-Fetch-Site': 'same-site' }],
  ['an opaque origin', { Origin: 'null' }],
  ['a program without an origin', { Origin: '' }],
  ['a program without Sec-Fetch-Site', { 'Sec-Fetch-Site': '' }],
])('A form from %s is refused despite its cookie, and signs no one in', async (_, headers) => {
  for (const more of [{}, { 'Content-Type': 'application/json' }]) {
    const visit = await on.visitor.submit(ORDER, { do: 'delete' }, { ...headers, ...more });
    expect(visit.status).toBe(403);
  }
  await readOrder();
  const stranger = on.console.visitor();
  const secret = on.console.codes.at(-1) ?? '';
  expect((await stranger.post('/sign-in', { secret }, headers)).status).toBe(403);
  expect(stranger.cookie).toBe('');
});

it('A form is accepted only with the content type of a form', async () => {
  const text = { 'Content-Type': 'text/plain' };
  expect((await on.visitor.submit(ORDER, { do: 'delete' }, text)).status).toBe(413);
  await readOrder();
});

it.each(['cross-site', 'same-site'])('A page that is %s cannot load the console', async (site) => {
  for (const mode of ['no-cors', 'cors']) {
    const headers = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode };
    const visit = await on.visitor.get(EXPORT, headers);
    expect([visit.status, visit.text.includes('ORD-0001')]).toEqual([403, false]);
  }
});

it('A page cannot be framed, sends no referrer, and is not cached', async () => {
  const paths = ['/', '/accounts', '/health', '/nothing', '/sign-in', '/console.css'];
  const visits = await Promise.all(paths.map((path) => on.visitor.get(path)));
  visits.push(await on.visitor.get('/', { Host: 'attacker.example' }));
  for (const { headers } of visits) {
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': expect.stringMatching(/^no-store$|^private, max-age=300$/),
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['strict-transport-security']).toBeUndefined();
  }
});

it('Other methods get 405, and without a session every page redirects to the sign-in', async () => {
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
    expect((await on.visitor.send(method, '/', {})).status, method).toBe(405);
  }
  const stranger = on.console.visitor();
  for (const path of ['/', EXPORT, '/audit', '/health']) {
    const { status, headers } = await stranger.get(path);
    const location = expect.stringMatching(/^\/sign-in\?next=/);
    expect([status, headers['location']]).toEqual([303, location]);
  }
});

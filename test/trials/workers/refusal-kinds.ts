// Every kind of refusal that the service has, each as a request. Many have a body that
// the service does not read before it answers. It has no 413, 415 or 429: a body that is
// too long is 400, the content type decides nothing, and limiting rates is a proxy's task.

import type { OutgoingHttpHeaders } from 'node:http';
import { asAccount } from '../service/identity-provider.js';

export interface Kind {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
  /** The promised one. */
  readonly status: number;
  /** In one of so many rounds; absent: in each. */
  readonly oneIn?: number;
}

export const ADMIN_KEY = 'the-operator-key-of-the-trial-workers';
/** The identity provider fails for it. */
export const DOWN_TOKEN = 'is.down';

const OWN = asAccount('refused');
const FULL = asAccount('full');
const OPERATOR = { 'X-Service-Admin-Key': ADMIN_KEY };
const CHUNKED = { 'Transfer-Encoding': 'chunked' };
const CUSTOMER = JSON.stringify({ name: 'Neema', phone: '+255 700 000 001' });
const SMALL = 'x'.repeat(1_000);
const MEDIUM = 'x'.repeat(100_000);
/** Above 1 MiB, and below the 8 MiB that the service reads to keep a connection. */
const LONG = 'x'.repeat(1_300_000);
const LONG_RARELY = 200;
const MEDIUM_RARELY = 20;

/** Makes the account full, after some of it. */
export const FULL_ACCOUNT: Kind = {
  name: 'a create beyond the limit',
  method: 'POST',
  path: '/api/v1/customers',
  headers: FULL,
  body: CUSTOMER,
  status: 422,
};

export const KINDS: readonly Kind[] = [
  // 401, data API.
  kind(401, 'no token', 'GET', '/customers'),
  kind(401, 'no token, with a body', 'POST', '/customers', {}, SMALL),
  kind(401, 'no token, with a chunked body', 'POST', '/customers', CHUNKED, SMALL),
  kind(401, 'no token, 100 KB', 'POST', '/customers', {}, MEDIUM, MEDIUM_RARELY),
  kind(401, 'no token, 1.3 MB', 'POST', '/customers', {}, LONG, LONG_RARELY),
  kind(401, 'no token, 1.3 MB chunked', 'POST', '/customers', CHUNKED, LONG, LONG_RARELY),
  kind(401, 'an empty header', 'GET', '/orders', { Authorization: '' }),
  kind(401, 'another scheme', 'PATCH', '/orders/ORD-0001', { Authorization: 'Basic x' }, SMALL),
  kind(401, 'a malformed token', 'POST', '/orders', { Authorization: 'Bearer a b' }, SMALL),
  kind(401, 'a wrong token', 'POST', '/orders', { Authorization: 'Bearer wrong' }, SMALL),
  kind(401, 'no token, unknown path', 'DELETE', '/nowhere', {}, SMALL),
  kind(401, 'no token, asked to continue', 'POST', '/team', { Expect: '100-continue' }, SMALL),
  // 503: the provider fails.
  kind(503, 'provider down', 'POST', '/team', { Authorization: `Bearer ${DOWN_TOKEN}` }, SMALL),
  // 404.
  kind(404, 'unknown collection', 'GET', '/invoices', OWN),
  kind(404, 'unknown collection, with a body', 'POST', '/invoices', OWN, SMALL),
  kind(404, 'missing record', 'GET', '/customers/CUS-9999', OWN),
  kind(404, 'a change of a missing record', 'PATCH', '/customers/CUS-9999', OWN, '{}'),
  kind(404, 'removal of a missing record', 'DELETE', '/customers/CUS-9999', OWN),
  kind(404, 'removal with a body', 'DELETE', '/customers/CUS-9999', OWN, SMALL),
  kind(404, 'too many segments', 'PUT', '/customers/CUS-0001/x', OWN, SMALL),
  kind(404, 'a broken escape', 'POST', '/customers/%zz', OWN, SMALL),
  { name: 'outside', method: 'POST', path: '/elsewhere', body: SMALL, status: 404 },
  { name: 'beside the prefix', method: 'PUT', path: '/api/v1x', body: MEDIUM, status: 404 },
  // 405.
  kind(405, 'PUT of a collection', 'PUT', '/customers', OWN, SMALL),
  kind(405, 'PUT of a collection, 100 KB', 'PUT', '/customers', OWN, MEDIUM, MEDIUM_RARELY),
  kind(405, 'POST to a record', 'POST', '/customers/CUS-0001', { ...OWN, ...CHUNKED }, SMALL),
  // Rarely, since Node's client closes the connection after it.
  kind(405, 'HEAD', 'HEAD', '/customers', OWN, undefined, LONG_RARELY),
  kind(405, 'DELETE of payments', 'DELETE', '/payments', OWN, SMALL),
  kind(405, 'POST to health', 'POST', '/health', {}, SMALL),
  kind(405, 'PUT to health, 1.3 MB', 'PUT', '/health', {}, LONG, LONG_RARELY),
  // 400.
  kind(400, 'no JSON', 'POST', '/customers', OWN, SMALL),
  kind(400, 'an empty body', 'POST', '/customers', OWN),
  kind(400, 'an array', 'PATCH', '/customers/CUS-0001', OWN, '[]'),
  kind(400, 'two values', 'POST', '/customers', OWN, '{} {}'),
  kind(400, 'nested too deep', 'POST', '/customers', OWN, '{"a":'.repeat(600)),
  kind(400, 'a form', 'POST', '/customers', { ...OWN, 'Content-Type': 'text/plain' }, 'a=b'),
  kind(400, '1.3 MB', 'POST', '/customers', OWN, LONG, LONG_RARELY),
  kind(400, '1.3 MB chunked', 'POST', '/customers', { ...OWN, ...CHUNKED }, LONG, LONG_RARELY),
  // 422.
  kind(422, 'a missing property', 'POST', '/customers', OWN, '{"name":"x"}'),
  kind(422, 'no amount', 'POST', '/orders', OWN, '{"customer":"x","service":"y","amount":0}'),
  FULL_ACCOUNT,
  // The administration API.
  kind(401, 'no key', 'GET', '/admin/overview'),
  kind(401, 'no key, with a body', 'POST', '/admin/accounts/a/customers', {}, SMALL),
  kind(401, 'no key, 1.3 MB', 'POST', '/admin/accounts/a/customers', {}, LONG, LONG_RARELY),
  kind(401, 'a wrong key', 'POST', '/admin/accounts/a/team', wrongKey(), SMALL),
  kind(401, 'a token for a key', 'DELETE', '/admin/accounts/a/team/TM-0001', OWN),
  kind(404, 'no such view', 'PUT', '/admin/nowhere', OPERATOR, SMALL),
  kind(404, 'payments by the operator', 'POST', '/admin/accounts/a/payments', OPERATOR, SMALL),
  kind(404, 'an account without records', 'GET', '/admin/accounts/nobody', OPERATOR),
  kind(405, 'a change of a view', 'POST', '/admin/usage', OPERATOR, SMALL),
  kind(400, 'no JSON by the operator', 'POST', '/admin/accounts/a/team', OPERATOR, SMALL),
  kind(422, 'no record by the operator', 'POST', '/admin/accounts/a/team', OPERATOR, '{}'),
  // No refusals, but answers that leave a body unread.
  kind(204, 'preflight', 'OPTIONS', '/customers', { Origin: 'https://app.example.com' }),
  kind(204, 'preflight with a body', 'OPTIONS', '/customers', {}, SMALL),
  kind(204, 'preflight, 100 KB', 'OPTIONS', '/nowhere', CHUNKED, MEDIUM, MEDIUM_RARELY),
  kind(200, 'health with a body', 'GET', '/health', CHUNKED, SMALL),
  kind(200, 'health', 'GET', '/health'),
];

function kind(
  status: number,
  name: string,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body?: string,
  oneIn = 1,
): Kind {
  // Without either header, a body of DELETE, GET or OPTIONS would not be announced.
  const length =
    body === undefined || 'Transfer-Encoding' in headers
      ? {}
      : { 'Content-Length': Buffer.byteLength(body) };
  const given = { ...length, ...headers };
  const sent = body === undefined ? {} : { body };
  return { name, method, path: `/api/v1${path}`, headers: given, ...sent, status, oneIn };
}

function wrongKey(): OutgoingHttpHeaders {
  return { 'X-Service-Admin-Key': `${ADMIN_KEY}x` };
}

// What the hostile clients of the trial `hostile` ask for. `{n}` in a request stands for a
// number that is new each time.

import { asAccount, type Behaviour, byToken } from '../../support/identity-stub.js';
import { ADMIN_KEY } from '../service/service-process.js';

export interface Template {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The account of 200,000 orders. */
export const MANY = 'mallory';
/** The account whose records are large. */
export const LARGE = 'trudy';
/** The account whose creates are compared with the file in the end. */
export const WRITER = 'eve';
export const LARGE_RECORD_CHARACTERS = 1_000_000;

const JUNK_CHECK_MS = 300;
const CROWD_SIZE = 200;

/** The provider takes its time for tokens that it does not know. Those of the crowd are good. */
export const provider: Behaviour = (token, response) => {
  const [, member] = /^crowd-(\d+)$/.exec(token) ?? [];
  if (member !== undefined) {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ sub: `crowd-${Number(member) % CROWD_SIZE}` }));
  } else if (token.startsWith('is.')) byToken(token, response);
  else setTimeout(() => byToken(token, response), JUNK_CHECK_MS);
};

const API = '/api/v1';
const by = (account: string) => (method: string, path: string, body?: string) => ({
  method,
  path: API + path,
  headers: asAccount(account),
  ...(body !== undefined && { body }),
});
const many = by(MANY);
const large = by(LARGE);
const writer = by(WRITER);
const operator = (path: string) => ({
  method: 'GET',
  path: API + path,
  headers: { 'X-Service-Admin-Key': ADMIN_KEY },
});
const bearer = (token: string, path: string) => ({
  method: 'GET',
  path: API + path,
  headers: { Authorization: `Bearer ${token}` },
});

/** A body of a mebibyte, nearly, with as many members as fit. */
function tinyMembers(): string {
  const members = Array.from({ length: 100_000 }, (_, i) => `"m${i.toString(36)}":0`);
  return `{${members.join(',')},"n":"{n}"}`;
}

/** Creates that are compared with the file. */
const CUSTOMERS = '/customers';
export const MARKED_PATH = `/api/v1${CUSTOMERS}`;
const MARKED = JSON.stringify({ mark: '{n}', name: 'Neema', phone: '1' });

export const REQUESTS = {
  'a path without a token': { method: 'GET', path: '/api/v1/x', headers: {} },
  health: { method: 'GET', path: '/api/v1/health', headers: {} },
  'an unknown method': { method: 'HEAD', path: '/api/v1/orders', headers: {} },
  'junk tokens': bearer('junk-{n}', '/orders'),
  'one junk token': bearer('junk', '/orders'),
  'many good tokens': bearer('crowd-{n}', '/customers'),
  'a list': many('GET', '/orders?page_size=100'),
  'deep pages': many('GET', '/orders?page={n}&page_size=100'),
  'distinct searches': many('GET', '/orders?q=nowhere{n}'),
  'one search': many('GET', '/orders?q=nowhere'),
  'filters by status': many('GET', '/orders?status=None{n}'),
  payments: many('GET', '/payments'),
  changes: many('PATCH', '/orders/ORD-0001', '{"paid":{n}}'),
  'changes of a large record': large('PATCH', '/team/TM-0002', '{"n":{n}}'),
  'large lists': large('GET', '/team?page_size=100'),
  'large searches': large('GET', `/team?q=${'a'.repeat(255)}b{n}`),
  'large creates': large('POST', '/businesses', tinyMembers()),
  'bodies that are no JSON': large('POST', '/businesses', `${tinyMembers().slice(0, -2)}!`),
  creates: writer('POST', CUSTOMERS, MARKED),
  'creates that are refused': writer('POST', CUSTOMERS, MARKED.replace('Neema', '')),
  "the operator's export": operator(`/admin/accounts/${MANY}/orders?page={n}&page_size=200`),
  "the operator's searches": operator('/admin/accounts?q=nobody{n}'),
  "the operator's figures": operator('/admin/usage'),
} as const satisfies Readonly<Record<string, Template>>;

export type RequestName = keyof typeof REQUESTS;
export const REQUEST_NAMES = Object.keys(REQUESTS) as RequestName[];

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
const by =
  (headers: Readonly<Record<string, string>>) =>
  (method: string, path: string, body?: string): Template => ({
    ...{ method, path: API + path, headers },
    ...(body !== undefined && { body }),
  });
const many = by(asAccount(MANY));
const large = by(asAccount(LARGE));
const writer = by(asAccount(WRITER));
const operator = by({ 'X-Service-Admin-Key': ADMIN_KEY });
const nobody = by({});
const bearer = (token: string) => by({ Authorization: `Bearer ${token}` });

/** A body of almost a mebibyte, with as many members as fit. */
function tinyMembers(): string {
  const members = Array.from({ length: 100_000 }, (_, i) => `"m${i.toString(36)}":0`);
  return `{${members.join(',')},"n":"{n}"}`;
}

/** Creates that are compared with the file. */
const CUSTOMERS = '/customers';
export const MARKED_PATH = API + CUSTOMERS;
const MARKED = JSON.stringify({ mark: '{n}', name: 'Neema', phone: '1' });

export const REQUESTS = {
  'a path without a token': nobody('GET', '/x'),
  health: nobody('GET', '/health'),
  'an unknown method': nobody('HEAD', '/orders'),
  'junk tokens': bearer('junk-{n}')('GET', '/orders'),
  'one junk token': bearer('junk')('GET', '/orders'),
  'many good tokens': bearer('crowd-{n}')('GET', '/customers'),
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
  "the operator's export": operator('GET', `/admin/accounts/${MANY}/orders?page={n}&page_size=200`),
  "the operator's searches": operator('GET', '/admin/accounts?q=nobody{n}'),
  "the operator's figures": operator('GET', '/admin/usage'),
} as const satisfies Readonly<Record<string, Template>>;

export type RequestName = keyof typeof REQUESTS;
export const REQUEST_NAMES = Object.keys(REQUESTS) as RequestName[];

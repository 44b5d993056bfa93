// The attacks of the trial `hostile`, each aimed at one bound of the service.

import { ADMIN_KEY } from '../../support/contract.js';
import { asAccount, type Behaviour, byToken } from '../../support/identity-stub.js';

/** `{n}` in it is replaced by a new number each time. */
export interface Template {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HostileClient {
  readonly asks: readonly Template[];
  /**
   * - `in turn`: each request once the previous response has started.
   * - `at once`: pipelined on one connection, as fast as the socket accepts them.
   * - `reconnecting`: every 2 ms a new connection for one request.
   * - `once`: one request; then the connection is idle.
   */
  readonly sends: 'in turn' | 'at once' | 'reconnecting' | 'once';
  /** Default: everything. */
  readonly reads?: 'slowly' | 'nothing';
  /** Resets each connection at a random moment of its first 300 ms. */
  readonly vanishes?: boolean;
  /** How many clients do the same. With `reconnecting`: the most that are open at once. */
  readonly connections: number;
}

/** The account of 200,000 orders. */
export const MANY = 'mallory';
/** The account whose records are large. */
export const LARGE = 'trudy';
export const LARGE_RECORD_CHARACTERS = 1_000_000;

const JUNK_CHECK_MS = 300;
const CROWD_SIZE = 200;

/** The provider is slow for tokens that it does not know. Those of the crowd are valid. */
export const provider: Behaviour = (token, response) => {
  const [, member] = /^crowd-(\d+)$/.exec(token) ?? [];
  if (member !== undefined) {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ sub: `crowd-${Number(member) % CROWD_SIZE}` }));
  } else if (token.startsWith('is.')) byToken(token, response);
  else setTimeout(() => byToken(token, response), JUNK_CHECK_MS);
};

const by =
  (headers: Readonly<Record<string, string>>) =>
  (method: string, path: string, body = ''): Template => {
    return { method, path: `/api/v1${path}`, headers, body };
  };
const many = by(asAccount(MANY));
const large = by(asAccount(LARGE));
const operator = by({ 'X-Service-Admin-Key': ADMIN_KEY });
const nobody = by({});
const bearer = (token: string) => by({ Authorization: `Bearer ${token}` });

const HEALTH = nobody('GET', '/health');
const CHANGES = many('PATCH', '/orders/ORD-0001', '{"paid":{n}}');
const ONE_SEARCH = many('GET', '/orders?q=nowhere');
/** A body of almost a mebibyte, with as many members as fit. */
const MEMBERS = Array.from({ length: 100_000 }, (_, i) => `"m${i.toString(36)}":0`).join(',');

/** Ordinary clients. Until Node has compiled the code that runs often, a connection costs several times more. */
export const WARM_UP: readonly HostileClient[] = [
  { asks: [many('GET', '/orders?page_size=100'), HEALTH], sends: 'reconnecting', connections: 20 },
];

export const ATTACKS: Readonly<Record<string, readonly HostileClient[]>> = {
  'one connection without a token, which reads nothing': [
    { asks: [nobody('GET', '/x')], sends: 'at once', reads: 'nothing', connections: 1 },
  ],
  'eight connections without a token, which read': [
    { asks: [nobody('GET', '/x')], sends: 'at once', connections: 8 },
  ],
  'junk tokens': [
    { asks: [bearer('junk-{n}')('GET', '/orders')], sends: 'reconnecting', connections: 400 },
  ],
  'ever new tokens of 200 accounts': [
    { asks: [bearer('crowd-{n}')('GET', '/customers')], sends: 'in turn', connections: 100 },
  ],
  '200,000 small orders, changed and searched': [
    { asks: [CHANGES, ONE_SEARCH], sends: 'reconnecting', connections: 2_000 },
  ],
  'changes and searches whose senders leave': [
    { asks: [CHANGES, ONE_SEARCH], sends: 'reconnecting', connections: 2_000, vanishes: true },
  ],
  'bodies of a mebibyte on 400 connections': [
    { asks: [large('POST', '/businesses', `{${MEMBERS}!`)], sends: 'in turn', connections: 400 },
  ],
  'creates of a mebibyte whose senders vanish': [
    {
      asks: [large('POST', '/businesses', `{${MEMBERS},"n":"{n}"}`)],
      sends: 'once',
      vanishes: true,
      connections: 100,
    },
  ],
  'records of a megabyte, listed, searched and changed': [
    {
      asks: [
        large('GET', '/team?page_size=100'),
        large('GET', `/team?q=${'a'.repeat(255)}b{n}`),
        large('PATCH', '/team/TM-0002', '{"n":{n}}'),
      ],
      sends: 'at once',
      reads: 'slowly',
      connections: 16,
    },
  ],
  'distinct searches of 200,000 orders, while 400 clients connect': [
    {
      asks: [many('GET', '/orders?q=nowhere{n}')],
      sends: 'once',
      reads: 'slowly',
      connections: 400,
    },
    { asks: [HEALTH], sends: 'reconnecting', reads: 'nothing', connections: 400 },
  ],
  "the operator's export, searches and figures, next to deep pages": [
    {
      asks: [
        operator('GET', `/admin/accounts/${MANY}/orders?page={n}&page_size=200`),
        operator('GET', '/admin/accounts?q=nobody{n}'),
        operator('GET', '/admin/usage'),
      ],
      sends: 'in turn',
      connections: 16,
    },
    { asks: [many('GET', '/orders?page={n}&page_size=100')], sends: 'at once', connections: 4 },
  ],
};

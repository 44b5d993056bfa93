// The attacks of the trial `neighbours`: what one signed-in account can do to make another
// one wait. Each is bounded in number and ends by itself.

import { asAccount } from '../service/identity-provider.js';
import { ADMIN_KEY } from '../service/service-process.js';

const MEBIBYTE = 1_048_576;

export interface Target {
  origin: string;
  /** How much of each attack, from 0 to 1. */
  scale: number;
}

/** A request that is sent `count` times at once. */
export interface Shot {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  count: number;
  /** `leave` closes the connection 20 ms after it was opened; `hold` reads nothing until it is cut. */
  how: 'read' | 'hold' | 'leave';
}

/** Shots that are fired at once. The next volley follows when the answers of this one are there. */
export type Volley = readonly Shot[];

export interface Attack {
  name: string;
  /** Makes the records that the attack needs. */
  prepare(target: Target, account: string): Promise<void>;
  volleys(target: Target, account: string): readonly Volley[];
}

async function send(target: Target, account: string, method: string, path: string, body?: string) {
  const response = await fetch(`${target.origin}/api/v1${path}`, {
    method,
    headers: asAccount(account),
    ...(body !== undefined && { body }),
  }).catch(() => undefined);
  const text = await response?.text().catch(() => '');
  return { status: response?.status ?? 0, text: text ?? '' };
}

async function created(target: Target, account: string, collection: string, body: string) {
  const { status, text } = await send(target, account, 'POST', `/${collection}`, body);
  if (status !== 201) throw new Error(`the attack cannot prepare: ${status} ${text.slice(0, 300)}`);
  return JSON.parse(text).data.id as string;
}

/** An object of so many tiny members that it takes about a mebibyte. */
function tinyMembers(prefix: string): string {
  const members: string[] = [];
  for (let i = 0, length = 2; length < MEBIBYTE - 20; i++) {
    const member = `"${prefix}${i.toString(36)}":0`;
    members.push(member);
    length += member.length + 1;
  }
  return `{${members.join(',')}}`;
}

const ORDER = { service: 'Box braids', amount: 45_000 };

function scaled(count: number, scale: number): number {
  return Math.max(Math.ceil(count * scale), 1);
}

function times(count: number, scale: number): number[] {
  return Array.from({ length: scaled(count, scale) }, (_, i) => i);
}

function shot(
  account: string,
  method: string,
  path: string,
  { body, count = 1, how = 'read' }: Partial<Pick<Shot, 'body' | 'count' | 'how'>> = {},
): Shot {
  const headers = asAccount(account);
  return { method, path, headers, ...(body !== undefined && { body }), count, how };
}

/** The profile of an account on a server, made by the first attack that needs one. */
const profiles = new Map<string, string>();
const profileKey = ({ origin }: Target, account: string) => `${origin} ${account}`;
const profilePath = (target: Target, account: string) =>
  `/businesses/${profiles.get(profileKey(target, account))}`;

export const LISTS: Attack = {
  name: '300 lists of 3.6 MB at once',
  async prepare(target, account) {
    const note = 'x'.repeat(36_000);
    for (const _ of times(100, 1))
      await created(target, account, 'team', JSON.stringify({ name: 'A', phone: '1', note }));
  },
  volleys: ({ scale }, account) => [
    [shot(account, 'GET', '/team?page_size=100', { count: scaled(300, scale) })],
  ],
};

export const ATTACKS: readonly Attack[] = [
  {
    name: 'PATCHes of a record of 2 MiB of tiny members, connections closed at once',
    async prepare(target, account) {
      const id = await created(target, account, 'businesses', tinyMembers('a'));
      await send(target, account, 'PATCH', `/businesses/${id}`, tinyMembers('b'));
      profiles.set(profileKey(target, account), id);
    },
    volleys: (target, account) => [
      times(150, target.scale).map((n) =>
        shot(account, 'PATCH', profilePath(target, account), {
          body: `{"0":${n}}`,
          how: 'leave',
        }),
      ),
    ],
  },
  {
    name: 'payments of 100 orders of 1 MB that nobody reads',
    async prepare(target, account) {
      const customer = 'x'.repeat(1_000_000);
      for (const _ of times(100, target.scale))
        await created(target, account, 'orders', JSON.stringify({ ...ORDER, customer }));
    },
    volleys: ({ scale }, account) => [
      [shot(account, 'GET', '/payments', { count: scaled(40, scale), how: 'hold' })],
    ],
  },
  {
    name: 'bodies of 1 MiB of empty objects behind slow PATCHes',
    async prepare(target, account) {
      const key = profileKey(target, account);
      if (profiles.has(key)) return;
      profiles.set(key, await created(target, account, 'businesses', tinyMembers('a')));
    },
    volleys(target, account) {
      const { scale } = target;
      const path = profilePath(target, account);
      const body = `{"a":[${'{},'.repeat(349_000)}{}]}`;
      return [
        [
          ...times(100, scale).map((n) => shot(account, 'PATCH', path, { body: `{"0":${n}}` })),
          shot(account, 'PATCH', path, { body, count: scaled(150, scale) }),
        ],
      ];
    },
  },
  {
    name: "the operator's page of an account with 300 profiles of 1 MB",
    async prepare(target, account) {
      const note = 'x'.repeat(1_000_000);
      for (const _ of times(300, target.scale))
        await created(target, account, 'businesses', JSON.stringify({ note }));
    },
    volleys(_target, account) {
      const page = shot(account, 'GET', `/admin/accounts/${account}`);
      return times(4, 1).map(() => [{ ...page, headers: { 'X-Service-Admin-Key': ADMIN_KEY } }]);
    },
  },
  {
    name: 'searches for nearly what is there, in letters that repeat',
    async prepare(target, account) {
      for (const letter of ['a', 'σ']) {
        const note = letter.repeat(letter === 'a' ? 1_000_000 : 500_000);
        for (const _ of times(10, target.scale)) {
          const body = JSON.stringify({ name: 'Neema', phone: '1', note });
          await created(target, account, 'customers', body);
        }
      }
    },
    volleys: ({ scale }, account) => [
      [`${'a'.repeat(255)}b`, `${'σ'.repeat(1_000)}x`].map((q) =>
        shot(account, 'GET', `/customers?q=${encodeURIComponent(q)}`, { count: scaled(10, scale) }),
      ),
    ],
  },
  {
    name: 'creates of 1 MiB of tiny members',
    prepare: async () => {},
    volleys: ({ scale }, account) =>
      times(10, scale).map((n) => [
        shot(account, 'POST', '/businesses', { body: tinyMembers(`c${n}`), count: 4 }),
      ]),
  },
  LISTS,
];

// The attacks of the trial `neighbours`: what one signed-in account can do to make another
// one wait. Each is bounded in number and ends by itself.

import { openRaw, overWithin, requestText } from '../http/raw-connection.js';
import { asAccount } from '../service/identity-provider.js';
import { ADMIN_KEY } from '../service/service-process.js';

const MEBIBYTE = 1_048_576;
/** An unread answer is cut by the service after 15 s. */
const UNREAD_MS = 20_000;

export interface Target {
  origin: string;
  /** How much of each attack, from 0 to 1. */
  scale: number;
}

export interface Attack {
  name: string;
  /** Makes the records that the attack needs. */
  prepare(target: Target, account: string): Promise<void>;
  run(target: Target, account: string): Promise<unknown>;
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

function times(count: number, scale: number): number[] {
  return Array.from({ length: Math.max(Math.ceil(count * scale), 1) }, (_, i) => i);
}

/** Sends the request, reads nothing, and holds the connection until the service cuts it. */
async function unread(target: Target, path: string, headers: Record<string, string>) {
  const connection = openRaw(target.origin, requestText('GET', `/api/v1${path}`, headers));
  connection.socket.pause();
  await overWithin(connection, UNREAD_MS * target.scale);
}

/** Sends the request and closes the connection at once. */
async function closed(target: Target, account: string, path: string, body: string) {
  const headers = { ...asAccount(account), 'Content-Length': String(Buffer.byteLength(body)) };
  const connection = openRaw(target.origin, requestText('PATCH', `/api/v1${path}`, headers, body));
  await connection.opened;
  await new Promise((resolve) => setTimeout(resolve, 20));
  connection.socket.destroy();
}

const businesses = new Map<string, string>();

export const ATTACKS: readonly Attack[] = [
  {
    name: 'PATCHes of a record of 2 MiB of tiny members, connections closed at once',
    async prepare(target, account) {
      const id = await created(target, account, 'businesses', tinyMembers('a'));
      await send(target, account, 'PATCH', `/businesses/${id}`, tinyMembers('b'));
      businesses.set(account, id);
    },
    run: (target, account) =>
      Promise.all(
        times(150, target.scale).map((n) =>
          closed(target, account, `/businesses/${businesses.get(account)}`, `{"0":${n}}`),
        ),
      ),
  },
  {
    name: 'payments of 100 orders of 1 MB that nobody reads',
    async prepare(target, account) {
      const customer = 'x'.repeat(1_000_000);
      for (const _ of times(100, target.scale))
        await created(target, account, 'orders', JSON.stringify({ ...ORDER, customer }));
    },
    run: (target, account) =>
      Promise.all(
        times(40, target.scale).map(() => unread(target, '/payments', asAccount(account))),
      ),
  },
  {
    name: 'bodies of 1 MiB of empty objects behind slow PATCHes',
    async prepare(target, account) {
      if (businesses.has(account)) return;
      businesses.set(account, await created(target, account, 'businesses', tinyMembers('a')));
    },
    async run(target, account) {
      const path = `/businesses/${businesses.get(account)}`;
      const empty = `{"a":[${'{},'.repeat(349_000)}{}]}`;
      await Promise.all([
        ...times(100, target.scale).map((n) => send(target, account, 'PATCH', path, `{"0":${n}}`)),
        ...times(150, target.scale).map(() => send(target, account, 'PATCH', path, empty)),
      ]);
    },
  },
  {
    name: "the operator's page of an account with 300 profiles of 1 MB",
    async prepare(target, account) {
      const note = 'x'.repeat(1_000_000);
      for (const _ of times(300, target.scale))
        await created(target, account, 'businesses', JSON.stringify({ note }));
    },
    async run(target, account) {
      const headers = { 'X-Service-Admin-Key': ADMIN_KEY };
      const url = `${target.origin}/api/v1/admin/accounts/${account}`;
      for (const _ of times(4, 1)) {
        const response = await fetch(url, { headers });
        if (response.status !== 200) throw new Error(`the page is ${response.status}`);
        for await (const _ of response.body ?? []);
      }
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
    run: (target, account) =>
      Promise.all(
        times(20, target.scale).map(async (n) => {
          const q = n % 2 === 0 ? `${'a'.repeat(255)}b` : `${'σ'.repeat(1_000)}x`;
          await send(target, account, 'GET', `/customers?q=${encodeURIComponent(q)}`);
        }),
      ),
  },
  {
    name: 'creates of 1 MiB of tiny members',
    prepare: async () => {},
    run: async (target, account) => {
      for (const n of times(10, target.scale)) {
        const body = tinyMembers(`c${n}`);
        await Promise.all(
          times(4, 1).map(() => send(target, account, 'POST', '/businesses', body)),
        );
      }
    },
  },
  {
    name: '300 lists of 3.6 MB at once',
    async prepare(target, account) {
      const note = 'x'.repeat(36_000);
      for (const _ of times(100, 1))
        await created(target, account, 'team', JSON.stringify({ name: 'A', phone: '1', note }));
    },
    run: (target, account) =>
      Promise.all(
        times(300, target.scale).map(() => send(target, account, 'GET', '/team?page_size=100')),
      ),
  },
];

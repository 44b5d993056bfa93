// The trial `agreement`: the same random commands to every engine. The data of each answer must be
// the same text, byte by byte.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectionName } from '../support/collection-table.js';
import { serverHost } from '../support/file-hosts.js';
import type { RunningHost } from '../support/hosts.js';
import { asAccount, openIdentityStub } from '../support/identity-stub.js';
import { postgresHost } from '../support/postgres-host.js';
import { workerHost } from '../support/worker-host.js';
import { newSeed, randomFrom } from './load/random.js';
import { type Command, Commands } from './model/commands.js';
import { ADMIN_KEY } from './service/service-process.js';
import type { Finding, Trial } from './trial.js';

const HOSTS = { file: serverHost, Worker: workerHost('Worker'), Postgres: postgresHost };
const OWNERS = ['asha', 'Ünal ☂'];
const VIEWS = ['overview', 'usage', 'audit?page_size=7', 'accounts?q=A'];
/** Where engines fold, compare, escape and measure text in their own ways. */
const PIECES = [
  ...['Neema', 'STRASSE', 'straße', 'ẞ', 'İstanbul', 'ıstanbul', 'ΣΊΣΥΦΟΣ', 'σίσυφος', 'K', 'ſ'],
  ...[
    'Å',
    'e\u0301',
    'é',
    'ǅ',
    'ﬁ',
    '李',
    '👩‍🔧',
    'Ԩ',
    'Ⴀ',
    '\u0000',
    '\ud800',
    '\udc00x',
    '\u2028',
  ],
  ...['%', '_', '\\', '\\\\', '"', "'", '{}', '$1', '\n', '\t', '\u200b', ' ', 'null', '0713'],
  ...[250, 5_000].map((characters) => 'É'.repeat(characters)),
];
const FIRST_CREATES = 20;
const Q_MAX_CHARACTERS = 500;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Id = readonly [owner: string, collection: CollectionName, id: string];

export const agreement: Trial = async ({ quick, folder }) => [
  await compared(newSeed(), quick ? 500 : 6_000, folder),
];

/** Sends every engine this many requests. */
export async function compared(seed: number, requests: number, folder: string): Promise<Finding> {
  const identity = await openIdentityStub();
  const settings = { AUTH_USERINFO_URL: identity.url, ADMIN_API_KEY: ADMIN_KEY };
  const running: [name: string, host: RunningHost][] = [];
  const commands = new Commands(randomFrom(seed), PIECES, false);
  const ids: Id[] = [];
  let [changes, differences, first] = [0, 0, ''];
  try {
    for (const [name, host] of Object.entries(HOSTS)) {
      mkdirSync(join(folder, name), { recursive: true });
      running.push([name, await host.start(join(folder, name), settings)]);
    }
    for (let asked = 0; asked < requests; asked++) {
      const command = commands.next(ids.length < FIRST_CREATES ? 'create' : undefined);
      const owner = commands.random.oneOf(OWNERS);
      const request = requestOf(command, owner, ids);
      if (request.method !== 'GET') changes++;
      const answers = await Promise.all(running.map(([, host]) => dataOf(host, request)));
      const id = /"id":"([A-Z]+-\d+)","owner_sub"|"id":"([A-Z]+-\d+)"/.exec(answers[0] ?? '');
      if (request.method === 'POST' && id) {
        ids.push([owner, command.collection, id[1] ?? id[2] ?? '']);
      }
      if (answers.every((answer) => answer === answers[0])) continue;
      differences++;
      first ||= `first ${request.method} ${request.path} ${request.body?.slice(0, 300) ?? ''}: ${running
        .map(([name], i) => `${name} ${answers[i]?.slice(0, 300)}`)
        .join(' | ')}`;
    }
    return {
      fault: `the same requests to ${running.map(([name]) => name).join(', ')}, seed ${seed}`,
      tried: `${requests} requests, ${changes} of them changes`,
      found: differences === 0 ? '0 differences' : `${differences} differences; ${first}`,
      holds: differences === 0,
    };
  } finally {
    for (const [, host] of running) await host.close();
    await identity.close();
  }
}

function requestOf(command: Command, owner: string, ids: readonly Id[]): Asked {
  const { kind, collection, pick } = command;
  const headers = asAccount(owner);
  if (kind === 'create') {
    return { method: 'POST', path: `/${collection}`, headers, body: JSON.stringify(command.body) };
  }
  if (kind === 'list') {
    const query = new URLSearchParams(command.query);
    // Hosts bound a request's head in their own ways: Node at 16 KiB.
    if (query.has('q')) query.set('q', (query.get('q') ?? '').slice(0, Q_MAX_CHARACTERS));
    return { method: 'GET', path: `/${collection}?${query}`, headers };
  }
  if (kind === 'payments') return { method: 'GET', path: '/payments', headers };
  if (kind === 'account') {
    const path = `/admin/${VIEWS[pick % VIEWS.length]}`;
    return { method: 'GET', path, headers: { 'X-Service-Admin-Key': ADMIN_KEY } };
  }
  const [holder, name, id] = ids[pick % ids.length] ?? [owner, collection, 'CUS-9999'];
  const target = { path: `/${name}/${id}`, headers: asAccount(holder) };
  if (kind === 'patch') return { method: 'PATCH', ...target, body: JSON.stringify(command.body) };
  return { method: kind === 'read' ? 'GET' : 'DELETE', ...target };
}

/** Status, the data's text, and a list's pagination; without what differs from one request to the next. */
async function dataOf({ fetch }: RunningHost, { path, ...init }: Asked): Promise<string> {
  const response = await fetch(`/api/v1${path}`, init);
  const text = await response.text();
  const end = text.lastIndexOf('"meta":');
  const pagination = /"pagination":\{[^}]*\}/.exec(text.slice(end))?.[0] ?? '';
  const data = text.slice(0, end).replace(/"(timestamp|last_updated_at)":"[^"]*"/g, '"$1":""');
  return `${response.status} ${data} ${pagination}`;
}

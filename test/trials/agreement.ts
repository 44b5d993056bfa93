// The trial `agreement`: the same random commands to every engine. The data of each response must
// be the same text, byte for byte.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectionName } from '../support/collection-table.js';
import { serverHost } from '../support/file-hosts.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { postgresHost } from '../support/postgres-host.js';
import { workerHost } from '../support/worker-host.js';
import { newSeed, randomFrom } from './load/random.js';
import { type Command, Commands } from './model/commands.js';
import { type Call, type Client, clientOf, settingsOf } from './service/client.js';
import type { Trial } from './trial.js';

const HOSTS = { file: serverHost, Worker: workerHost('Worker'), Postgres: postgresHost };
const REQUESTS = { small: 200, quick: 500, usual: 6_000 };
const OWNERS = ['asha', 'Ünal ☂'];
const VIEWS = ['overview', 'usage', 'audit?page_size=7', 'accounts?q=A'];
/** Where engines fold, compare, escape and measure text in their own ways. */
const PIECES = [
  ...'Neema STRASSE straße ẞ İstanbul ıstanbul ΣΊΣΥΦΟΣ σίσυφος K ſ Å é ǅ ﬁ 李 👩‍🔧 Ԩ Ⴀ'.split(' '),
  ...['e\u0301', '\u0000', '\ud800', '\udc00x', '\u2028', '\u200b', '\n', '\t', ' '],
  ...['%', '_', '\\', '\\\\', '"', "'", '{}', '$1', 'null', '0713'],
  ...[250, 5_000].map((characters) => 'É'.repeat(characters)),
];
const FIRST_CREATES = 20;
const Q_MAX_CHARACTERS = 500;

type Id = readonly [owner: string, collection: CollectionName, id: string];

export const agreement: Trial = async ({ size, folder }) => {
  const [seed, requests] = [newSeed(), REQUESTS[size]];
  const identity = await openIdentityStub();
  const running: { name: string; client: Client; close(): Promise<void> }[] = [];
  const commands = new Commands(randomFrom(seed), PIECES, false);
  const ids: Id[] = [];
  let [changes, differences, first] = [0, 0, ''];
  try {
    for (const [name, host] of Object.entries(HOSTS)) {
      const own = join(folder, name);
      mkdirSync(own);
      const { DATABASE_URL: _, ...settings } = settingsOf(own, identity);
      const { fetch, close } = await host.start(own, settings);
      running.push({ name, close, client: clientOf(fetch) });
    }
    for (let asked = 0; asked < requests; asked++) {
      const command = commands.next(ids.length < FIRST_CREATES ? 'create' : undefined);
      const owner = commands.random.oneOf(OWNERS);
      const call = callOf(command, owner, ids);
      if (call.method !== 'GET') changes++;
      const answers = await Promise.all(running.map(({ client }) => dataOf(client, call)));
      const [, id] = /"id":"([A-Z]+-\d+)"/.exec(answers[0] ?? '') ?? [];
      if (call.method === 'POST' && id) ids.push([owner, command.collection, id]);
      if (answers.every((answer) => answer === answers[0])) continue;
      differences++;
      const all = running.map(({ name }, i) => `${name} ${answers[i]?.slice(0, 300)}`);
      first ||= `first ${JSON.stringify(call).slice(0, 400)}: ${all.join(' | ')}`;
    }
  } finally {
    for (const { close } of running) await close();
    await identity.close();
  }
  return [
    {
      fault: `the same requests to ${Object.keys(HOSTS).join(', ')}, seed ${seed}`,
      tried: `${requests} requests, ${changes} of them changes, ${ids.length} records made`,
      found: differences === 0 ? '0 differences' : `${differences} differences; ${first}`,
      holds: differences === 0 && ids.length >= FIRST_CREATES,
    },
  ];
};

function callOf({ pick, ...command }: Command, account: string, ids: readonly Id[]): Call {
  const { kind, collection } = command;
  if (kind === 'create') {
    return { method: 'POST', path: `/${collection}`, account, body: command.body };
  }
  if (kind === 'list') {
    const query = new URLSearchParams(command.query);
    // Hosts limit a request's headers differently: Node at 16 KiB.
    if (query.has('q')) query.set('q', (query.get('q') ?? '').slice(0, Q_MAX_CHARACTERS));
    return { method: 'GET', path: `/${collection}?${query}`, account };
  }
  if (kind === 'payments') return { method: 'GET', path: '/payments', account };
  if (kind === 'account') return { method: 'GET', path: `/admin/${VIEWS[pick % VIEWS.length]}` };
  const [holder, name, id] = ids[pick % ids.length] ?? [account, collection, 'CUS-9999'];
  const target = { path: `/${name}/${id}`, account: holder };
  if (kind === 'patch') return { method: 'PATCH', ...target, body: command.body };
  return { method: kind === 'read' ? 'GET' : 'DELETE', ...target };
}

/** Status, the data's text, and a list's pagination; without what differs from one request to the next. */
async function dataOf(client: Client, call: Call): Promise<string> {
  const { status, text } = await client.send(call);
  const end = text.lastIndexOf('"meta":');
  const pagination = /"pagination":\{[^}]*\}/.exec(text.slice(end))?.[0] ?? '';
  const data = text.slice(0, end).replace(/"(timestamp|last_updated_at)":"[^"]*"/g, '"$1":""');
  return `${status} ${data} ${pagination}`;
}

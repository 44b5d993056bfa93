// The trial `agreement`: the same random records, changes and questions to every engine. The data of
// each answer must be the same text, byte by byte.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTIONS, type CollectionName, VALID_BODY } from '../support/collection-table.js';
import { serverHost } from '../support/file-hosts.js';
import type { RunningHost } from '../support/hosts.js';
import { asAccount, openIdentityStub } from '../support/identity-stub.js';
import { postgresHost } from '../support/postgres-host.js';
import { workerHost } from '../support/worker-host.js';
import { newSeed, type Random, randomFrom } from './load/random.js';
import { ADMIN_KEY } from './service/service-process.js';
import type { Finding, Trial } from './trial.js';

const HOSTS = { file: serverHost, Worker: workerHost('Worker'), Postgres: postgresHost };
const OWNERS = ['asha', 'Ünal ☂'];
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
  ...['%', '_', '\\', '\\\\', '"', "'", '{}', '$1', '\n', '\t', '\u200b', ' ', '', 'null', '0713'],
];
const STATUSES = [...['New', 'new', 'Ready', '', ' ', 'É', '\u0000', '='], ...[null, 3, ['New']]];
const LONG_CHARACTERS = [250, 5_000, 70_000];
/** A record of this many changes is made for each question. */
const CHANGE_SHARE = 0.4;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const agreement: Trial = async ({ quick, folder }) => [
  await compared(newSeed(), quick ? 300 : 4_000, folder),
];

/** Asks every engine this many questions, and changes records between them. */
export async function compared(seed: number, questions: number, folder: string): Promise<Finding> {
  const identity = await openIdentityStub();
  const settings = { AUTH_USERINFO_URL: identity.url, ADMIN_API_KEY: ADMIN_KEY };
  const running: [name: string, host: RunningHost][] = [];
  try {
    for (const [name, host] of Object.entries(HOSTS)) {
      mkdirSync(join(folder, name), { recursive: true });
      running.push([name, await host.start(join(folder, name), settings)]);
    }
    const shop = new Shop(randomFrom(seed));
    let [asked, changes, differences] = [0, 0, 0];
    let first = '';
    while (asked < questions) {
      const isChange = shop.random.chance(CHANGE_SHARE) || changes < 20;
      const request = isChange ? shop.change() : shop.question();
      if (isChange) changes++;
      else asked++;
      const answers = await Promise.all(running.map(([, host]) => dataOf(host, request)));
      shop.learn(request, answers[0] ?? '');
      if (answers.every((answer) => answer === answers[0])) continue;
      differences++;
      first ||= `first ${request.method} ${request.path} ${request.body?.slice(0, 300) ?? ''}: ${running
        .map(([name], i) => `${name} ${answers[i]?.slice(0, 300)}`)
        .join(' | ')}`;
    }
    return {
      fault: `the same requests to ${running.map(([name]) => name).join(', ')}, seed ${seed}`,
      tried: `${asked} questions, ${changes} changes`,
      found: differences === 0 ? '0 differences' : `${differences} differences; ${first}`,
      holds: differences === 0,
    };
  } finally {
    for (const [, host] of running) await host.close();
    await identity.close();
  }
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

/** Random requests about records that are there, were there, or never were. */
class Shop {
  readonly random: Random;
  readonly #ids: [owner: string, collection: CollectionName, id: string][] = [];

  constructor(random: Random) {
    this.random = random;
  }

  change(): Asked {
    const dice = this.random.fraction();
    const owner = this.random.oneOf(OWNERS);
    if (dice < 0.6 || this.#ids.length === 0) {
      const name = this.random.oneOf(COLLECTIONS);
      const body = JSON.stringify({ ...VALID_BODY[name], ...this.#properties() });
      return this.#by(owner, 'POST', [name], body);
    }
    const [holder, name, id] = this.random.oneOf(this.#ids);
    if (dice < 0.85) {
      return this.#by(holder, 'PATCH', [name, id], JSON.stringify(this.#properties()));
    }
    return this.#by(holder, 'DELETE', [name, id]);
  }

  question(): Asked {
    const owner = this.random.oneOf(OWNERS);
    const dice = this.random.fraction();
    if (dice < 0.1 && this.#ids.length > 0) {
      const [holder, name, id] = this.random.oneOf(this.#ids);
      return this.#by(holder, 'GET', [name, id]);
    }
    if (dice < 0.15) return this.#by(owner, 'GET', ['payments']);
    if (dice < 0.25) {
      const view = this.random.oneOf(['overview', 'usage', 'audit?page_size=7', 'accounts?q=A']);
      const headers = { 'X-Service-Admin-Key': ADMIN_KEY };
      return { method: 'GET', path: `/admin/${view}`, headers };
    }
    const query = new URLSearchParams();
    if (this.random.chance(0.7)) query.set('q', this.#text(2));
    if (this.random.chance(0.4)) query.set('status', String(this.random.oneOf(STATUSES)));
    if (this.random.chance(0.4))
      query.set('page', this.random.oneOf(['2', '0', '007', '9'.repeat(30)]));
    if (this.random.chance(0.4))
      query.set('page_size', this.random.oneOf(['1', '3', '100', '1e2']));
    return this.#by(owner, 'GET', [`${this.random.oneOf(COLLECTIONS)}?${query}`]);
  }

  /** Remembers the record that a create made. */
  learn({ method, path, headers }: Asked, answer: string): void {
    const id = /"id":"([A-Z]+-\d+)"/.exec(answer)?.[1];
    if (method !== 'POST' || id === undefined) return;
    const owner = OWNERS.find((name) => asAccount(name).Authorization === headers['Authorization']);
    this.#ids.push([owner ?? '', path.split('/').at(-1) as CollectionName, id]);
  }

  #by(owner: string, method: string, path: readonly string[], body?: string): Asked {
    const asked = { method, path: `/${path.join('/')}`, headers: asAccount(owner) };
    return body === undefined ? asked : { ...asked, body };
  }

  #properties(): Readonly<Record<string, unknown>> {
    const long = () =>
      this.#text(3).padEnd(this.random.oneOf(LONG_CHARACTERS), this.#text(2) || 'a');
    return {
      ...(this.random.chance(0.6) && { status: this.random.oneOf(STATUSES) }),
      ...(this.random.chance(0.8) && { note: this.#text(6) }),
      ...(this.random.chance(0.1) && { long: long() }),
      ...(this.random.chance(0.3) && { [this.#text(2)]: { deep: [this.#text(2)] } }),
      ...(this.random.chance(0.2) && { paid: this.random.oneOf([1, 0.1, 1e21, -3, '7', null]) }),
    };
  }

  #text(pieces: number): string {
    const count = this.random.between(1, pieces);
    return Array.from({ length: count }, () => this.random.oneOf(PIECES)).join('');
  }
}

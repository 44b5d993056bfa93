// Random commands of clients, for the trials `model` and `agreement`: sensible, wrong and odd ones.

import { COLLECTIONS, type CollectionName, ROW_OF } from '../../support/collection-table.js';
import { MARKS } from '../../support/failing-writes.js';
import type { Random } from '../load/random.js';
import type { JsonRecord } from './account-model.js';

export type Query = Partial<Record<'q' | 'status' | 'page' | 'page_size', string>>;

/**
 * One command of an account, or of the operator for that account. `pick` selects a record
 * that exists, or one that is deleted or belongs to another account.
 */
export type Command = { collection: CollectionName; byOperator: boolean; pick: number } & (
  | { kind: 'create' | 'patch'; body: JsonRecord }
  | { kind: 'list'; query: Query }
  | { kind: 'read' | 'delete' | 'payments' | 'account' }
);

export const WORDS = ['Neema', 'saluni', 'Zoë 林', '😀', 'İ', '"\\', '\u2028', ' ', '{"a":1}'];
const SEARCHED = ['neema', 'canary', 'ORD-', 'new', 'tzs', 'owner_sub":"'];
const STATUSES = ['New', 'In progress', 'Ready', 'new', 'Ré'];
const ODD = ['', 0, -1, null, true, [], {}, 1e21, 0.1, '7', { deep: [{ a: null }, [[]], 'x'] }];
const NAMES = ['id', 'owner_sub', 'ownerSub', 'status', 'paid', 'method', '__proto__', '0', 'note'];
const NUMBERS = ['9'.repeat(30), ...'1,2,3,7,100,201,0,-1,x,1.5,007,'.split(',')];
const TEXT_MAX_PIECES = 3;
/** How often each kind occurs. */
const KINDS = Object.entries({
  ...{ create: 8, read: 3, patch: 5, delete: 3, list: 5, payments: 1, account: 1 },
}).flatMap(([kind, weight]) => Array<string>(weight).fill(kind)) as Command['kind'][];

export class Commands {
  readonly random: Random;
  readonly #pieces: readonly string[];
  readonly #refusals: boolean;

  /** Texts consist of the pieces. `refusals`: whether some records have the text that storage refuses. */
  constructor(random: Random, pieces: readonly string[], refusals: boolean) {
    this.random = random;
    this.#pieces = pieces;
    this.#refusals = refusals;
  }

  next(kind = this.random.oneOf(KINDS)): Command {
    const collection = this.random.oneOf(COLLECTIONS);
    const common = { collection, byOperator: this.random.chance(0.5), pick: this.#pick() };
    if (kind === 'create') return { ...common, kind, body: this.#body(collection) };
    if (kind === 'list') return { ...common, kind, query: this.#query() };
    if (kind !== 'patch') return { ...common, kind };
    const body = this.random.chance(0.5) ? this.#extras() : this.#body(collection);
    return { ...common, kind, body };
  }

  #pick(): number {
    return this.random.between(0, 1_000);
  }

  #text(): string {
    const { random } = this;
    const character = () => String.fromCharCode(random.between(32, 126));
    const piece = random.chance(0.8) ? () => random.oneOf(this.#pieces) : character;
    return Array.from({ length: random.between(1, TEXT_MAX_PIECES) }, piece).join('');
  }

  #amount(): number {
    const { random } = this;
    if (random.chance(0.5)) return random.between(1, 1_000_000);
    return 0.01 + random.fraction() * 10 ** random.between(-1, 300);
  }

  #odd(): unknown {
    return this.random.chance(0.5) ? this.#text() : this.random.oneOf<unknown>(ODD);
  }

  #extras(): JsonRecord {
    const name = () => (this.random.chance(0.7) ? this.random.oneOf(NAMES) : this.#text());
    const extra = () => [name(), this.#odd()] as const;
    return Object.fromEntries(Array.from({ length: this.random.between(0, 3) }, extra));
  }

  /** Mostly a valid body for the collection. Sometimes a property is missing or nonsense. */
  #body(collection: CollectionName): JsonRecord {
    const { texts, numbers } = ROW_OF[collection];
    const { random } = this;
    const wrong = random.oneOf([...texts, ...numbers, 'x']);
    return {
      ...Object.fromEntries(texts.map((name) => [name, this.#text()])),
      ...Object.fromEntries(numbers.map((name) => [name, this.#amount()])),
      ...this.#extras(),
      ...(random.chance(0.5) && { status: random.oneOf(STATUSES) }),
      ...(this.#refusals && random.chance(1 / 40) && { poison: MARKS.put }),
      ...(random.chance(1 / 8) && { [wrong]: this.#odd() }),
    };
  }

  #query(): Query {
    const { random } = this;
    const q = random.chance(0.5) ? this.#text() : random.oneOf(SEARCHED);
    return {
      ...(random.chance(0.5) && { q }),
      ...(random.chance(0.5) && { status: random.oneOf([...STATUSES, 'nowhere', '']) }),
      ...(random.chance(0.8) && { page: random.oneOf(NUMBERS) }),
      ...(random.chance(0.8) && { page_size: random.oneOf(NUMBERS) }),
    };
  }
}

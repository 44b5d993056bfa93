// Generators of the clients' commands: sensible, wrong and odd ones.

import fc from 'fast-check';
import { COLLECTIONS, type CollectionName, ROW_OF } from '../../support/collection-table.js';
import type { JsonRecord } from './account-model.js';

export interface Query {
  q?: string | undefined;
  status?: string | undefined;
  page?: string | undefined;
  page_size?: string | undefined;
}

/**
 * One command of an account, or of the operator for that account. `pick` selects a record
 * that exists, or one that is deleted or belongs to another account.
 */
export type Command = { collection: CollectionName; byOperator: boolean } & (
  | { kind: 'create'; body: JsonRecord }
  | { kind: 'read'; pick: number }
  | { kind: 'patch'; pick: number; body: JsonRecord }
  | { kind: 'patch at once'; pick: number; values: number[] }
  | { kind: 'delete'; pick: number }
  | { kind: 'list'; query: Query }
  | { kind: 'payments' }
  | { kind: 'account' }
  | { kind: 'send nonsense'; method: 'POST' | 'PATCH'; pick: number; text: string }
  | { kind: 'go astray'; method: string; path: string; status: number }
);

/** The commands of all clients, which run side by side, and the action afterwards. */
export type Step = { lanes: Command[][]; end: 'restart' | 'look' };

/** The database refuses every record with this text. */
export const REFUSED = 'refuse-me';

const STATUSES = ['New', 'In progress', 'Ready', 'new', 'Ré'];
const WORDS = ['Neema', 'saluni', 'Zoë 林', '😀', 'İ', '"\\', '\u2028', ' ', '{"a":1}'];
const words = fc.constantFrom(...WORDS);
const texts = fc.oneof({ weight: 4, arbitrary: words }, fc.string({ maxLength: 12 }));
const amounts = fc.oneof(
  fc.integer({ min: 1, max: 1_000_000 }),
  fc.double({ min: 0.01, max: 1e300, noNaN: true }),
);
const odd = fc.oneof(
  texts,
  fc.constantFrom('', 0, -1, null, true, [], {}),
  fc.jsonValue({ maxDepth: 3 }),
);
const NAMES = 'id owner_sub ownerSub status paid method __proto__ 0 note'.split(' ');
const names = fc.oneof(fc.constantFrom(...NAMES), fc.string({ minLength: 1, maxLength: 6 }));
const extras = fc
  .array(fc.tuple(names, odd), { maxLength: 3 })
  .map((entries) => asSent(Object.fromEntries(entries)));

/** The record as JSON can carry it: without -0. */
function asSent(record: object): JsonRecord {
  return JSON.parse(JSON.stringify(record));
}

const collections = fc.constantFrom(...COLLECTIONS);
const picks = fc.nat({ max: 1_000 });

/** undefined, except once in this many times. */
function rarely<T>(times: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  const never = { weight: times - 1, arbitrary: fc.constant(undefined) };
  return fc.oneof(never, { weight: 1, arbitrary });
}

/** Mostly valid bodies for the collection. Sometimes a property is missing or nonsense. */
function bodies(collection: CollectionName) {
  const { texts: textual, numbers } = ROW_OF[collection];
  const good = fc.record({
    ...Object.fromEntries(textual.map((name) => [name, texts.filter((text) => text !== '')])),
    ...Object.fromEntries(numbers.map((name) => [name, amounts])),
  });
  const status = fc.option(fc.constantFrom(...STATUSES), { nil: undefined });
  const poison = rarely(40, fc.constant(REFUSED));
  const wrong = rarely(8, fc.tuple(fc.constantFrom(...textual, ...numbers, 'x'), odd));
  return fc
    .record({ good, extra: extras, status, poison, wrong })
    .map(({ good: body, extra, status: label, poison: refused, wrong: other }) =>
      asSent({
        ...body,
        ...extra,
        ...(label !== undefined && { status: label }),
        ...(refused !== undefined && { poison: refused }),
        ...(other !== undefined && { [other[0]]: other[1] }),
      }),
    );
}

const NUMBERS = ['1', '2', '3', '7', '100', '201', '0', '-1', 'x', '1.5', ''];
const numbersAsText = fc.constantFrom(undefined, ...NUMBERS);
const queries = fc.record({
  q: fc.option(
    fc.oneof(words, fc.constantFrom('neema', 'canary', 'ORD-', 'new', 'tzs', 'owner_sub":"')),
  ),
  status: fc.option(fc.constantFrom(...STATUSES, 'nowhere', '')),
  page: numbersAsText,
  page_size: numbersAsText,
});

const NONSENSE = [
  '',
  '{',
  '[]',
  'null',
  '{"a":1}{}',
  '{"a":1e999}',
  '\ufeff{}',
  "{'a':1}",
  '{"a":01}',
];

const ASTRAY = [
  { method: 'PUT', path: '/customers', status: 405 },
  { method: 'HEAD', path: '/customers', status: 405 },
  { method: 'DELETE', path: '/payments', status: 405 },
  { method: 'GET', path: '/nothing', status: 404 },
  { method: 'GET', path: '/customers/', status: 404 },
  { method: 'GET', path: '/payments/PAY-0001', status: 404 },
];

const weighted = (weight: number, arbitrary: fc.Arbitrary<object>) => ({ weight, arbitrary });

/** One command for one collection. */
const commands = fc.tuple(collections, fc.boolean()).chain(([collection, byOperator]) => {
  const body = bodies(collection);
  const kind = <T>(name: Command['kind'], more: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) =>
    fc.record<Record<string, unknown>>({ kind: fc.constant(name), ...more });
  const values = fc.array(fc.nat(), { minLength: 2, maxLength: 5 });
  const method = fc.constantFrom('POST', 'PATCH');
  const text = fc.constantFrom(...NONSENSE);
  const stray = fc.constantFrom(...ASTRAY);
  return fc
    .oneof(
      weighted(8, kind('create', { body })),
      weighted(3, kind('read', { pick: picks })),
      weighted(5, kind('patch', { pick: picks, body: fc.oneof(extras, body) })),
      weighted(1, kind('patch at once', { pick: picks, values })),
      weighted(3, kind('delete', { pick: picks })),
      weighted(5, kind('list', { query: queries })),
      weighted(1, kind('payments', {})),
      weighted(1, kind('account', {})),
      weighted(1, kind('send nonsense', { method, pick: picks, text })),
      weighted(
        1,
        stray.map((given) => ({ kind: 'go astray', ...given })),
      ),
    )
    .map((command) => ({ ...command, collection, byOperator }) as Command);
});

/** Steps for this many accounts, each with this many commands. */
export function steps(sizes: {
  accounts: number;
  steps: number;
  commands: number;
}): fc.Arbitrary<Step[]> {
  const exactly = <T>(count: number, each: fc.Arbitrary<T>) =>
    fc.array(each, { minLength: count, maxLength: count, size: 'max' });
  const step = fc.record({
    lanes: exactly(sizes.accounts, exactly(sizes.commands, commands)),
    end: fc.constantFrom<Step['end'][]>('look', 'restart'),
  });
  return fc.array(step, { minLength: 1, maxLength: sizes.steps, size: 'max' });
}

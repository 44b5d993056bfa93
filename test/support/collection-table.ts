// The contract's tables "Identifiers" and "Fields and validation by collection".
// They are repeated here, because the service's own tables are under test.

import { expect } from 'vitest';
import type { JsonRecord } from './contract.js';

export const COLLECTIONS = [
  'businesses',
  'customers',
  'services',
  'orders',
  'team',
  'expenses',
] as const;

export type CollectionName = (typeof COLLECTIONS)[number];

export interface CollectionRow {
  readonly name: CollectionName;
  readonly idPrefix: string;
  readonly idDigitsMin: number;
  /** Required, non-empty strings. */
  readonly texts: readonly string[];
  /** Required, numbers above 0. */
  readonly numbers: readonly string[];
  readonly defaults: JsonRecord;
  /** One record and several of them, in the sentences of the API's description. */
  readonly words: readonly [one: string, many: string];
}

export const COLLECTION_TABLE: readonly CollectionRow[] = [
  {
    name: 'businesses',
    idPrefix: 'BIZ-',
    idDigitsMin: 4,
    texts: [],
    numbers: [],
    defaults: {},
    words: ['a business profile', 'business profiles'],
  },
  {
    name: 'customers',
    idPrefix: 'CUS-',
    idDigitsMin: 4,
    texts: ['name', 'phone'],
    numbers: [],
    defaults: {},
    words: ['a customer', 'customers'],
  },
  {
    name: 'services',
    idPrefix: 'SRV-',
    idDigitsMin: 2,
    texts: ['name'],
    numbers: ['price'],
    defaults: { currency: 'TZS', active: true },
    words: ['a service on offer', 'services'],
  },
  {
    name: 'orders',
    idPrefix: 'ORD-',
    idDigitsMin: 4,
    texts: ['customer', 'service'],
    numbers: ['amount'],
    defaults: { status: 'New', paid: 0, currency: 'TZS' },
    words: ['an order', 'orders'],
  },
  {
    name: 'team',
    idPrefix: 'TM-',
    idDigitsMin: 4,
    texts: ['name', 'phone'],
    numbers: [],
    defaults: {},
    words: ['a member of the team', 'members of the team'],
  },
  {
    name: 'expenses',
    idPrefix: 'EXP-',
    idDigitsMin: 4,
    texts: ['description', 'category', 'date'],
    numbers: ['amount'],
    defaults: {},
    words: ['an expense', 'expenses'],
  },
];

/** The smallest body that a create accepts: the required properties and nothing else. */
export function leastBody({ texts, numbers }: CollectionRow): JsonRecord {
  return Object.fromEntries([
    ...texts.map((property) => [property, `some ${property}`] as const),
    ...numbers.map((property) => [property, 1000] as const),
  ]);
}

/** The smallest body of every collection, by name. */
export const VALID_BODY = Object.fromEntries(
  COLLECTION_TABLE.map((collection) => [collection.name, leastBody(collection)]),
) as Readonly<Record<CollectionName, JsonRecord>>;

/** The row of every collection, by name. */
export const ROW_OF = Object.fromEntries(
  COLLECTION_TABLE.map((collection) => [collection.name, collection]),
) as Readonly<Record<CollectionName, CollectionRow>>;

/** `ORD-0042` → 42. */
export function sequenceOfId(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1));
}

/** The id has the number after this one. */
export function expectNextNumber(id: string, last: number): void {
  expect(sequenceOfId(id)).toBe(last + 1);
}

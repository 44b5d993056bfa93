// The contract's tables "Identifiers" and "Fields and validation by collection".
// They are repeated here, because the service's own tables are under test.

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
}

export const COLLECTION_TABLE: readonly CollectionRow[] = [
  row('businesses', 'BIZ-', 4, [], []),
  row('customers', 'CUS-', 4, ['name', 'phone'], []),
  row('services', 'SRV-', 2, ['name'], ['price'], { currency: 'TZS', active: true }),
  row('orders', 'ORD-', 4, ['customer', 'service'], ['amount'], {
    status: 'New',
    paid: 0,
    currency: 'TZS',
  }),
  row('team', 'TM-', 4, ['name', 'phone'], []),
  row('expenses', 'EXP-', 4, ['description', 'category', 'date'], ['amount']),
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

/** `ORD-0042` → 42. */
export function sequenceOfId(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1));
}

function row(
  name: CollectionName,
  idPrefix: string,
  idDigitsMin: number,
  texts: readonly string[],
  numbers: readonly string[],
  defaults: JsonRecord = {},
): CollectionRow {
  return { name, idPrefix, idDigitsMin, texts, numbers, defaults };
}

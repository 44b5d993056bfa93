// The contract's tables "Identifiers" and "Fields and validation by collection", and its routes.
// They are repeated here, because the service's own tables are under test.

import type { JsonRecord } from './contract.js';

export const COLLECTIONS = [
  ...(['businesses', 'customers', 'services', 'orders', 'team', 'expenses'] as const),
];

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

function row(
  name: CollectionName,
  idPrefix: string,
  texts: string,
  numbers = '',
  defaults: JsonRecord = {},
): CollectionRow {
  const list = (text: string) => text.match(/\w+/g) ?? [];
  const idDigitsMin = name === 'services' ? 2 : 4;
  return { name, idPrefix, idDigitsMin, texts: list(texts), numbers: list(numbers), defaults };
}

const TZS = { currency: 'TZS' };
export const COLLECTION_TABLE: readonly CollectionRow[] = [
  row('businesses', 'BIZ-', ''),
  row('customers', 'CUS-', 'name, phone'),
  row('services', 'SRV-', 'name', 'price', { ...TZS, active: true }),
  row('orders', 'ORD-', 'customer, service', 'amount', { status: 'New', paid: 0, ...TZS }),
  row('team', 'TM-', 'name, phone'),
  row('expenses', 'EXP-', 'description, category, date', 'amount'),
];

/** The smallest body that a create accepts: the required properties and nothing else. */
export function leastBody({ texts, numbers }: CollectionRow): JsonRecord {
  return Object.fromEntries([
    ...texts.map((property) => [property, `some ${property}`] as const),
    ...numbers.map((property) => [property, 1000] as const),
  ]);
}

const byName = <T>(of: (row: CollectionRow) => T) =>
  Object.fromEntries(COLLECTION_TABLE.map((row) => [row.name, of(row)])) as Readonly<
    Record<CollectionName, T>
  >;
/** The smallest body of every collection. */
export const VALID_BODY = byName(leastBody);
export const ROW_OF = byName((row) => row);

/** `ORD-0042` → 42. */
export function sequenceOfId(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1));
}

const TENANT = '/admin/accounts/{owner_sub}';
const VIEWS = ['overview', 'health', 'usage', 'audit', 'accounts', 'accounts/{owner_sub}'];

/** Every path of the API and what answers it, as an `Allow` header has it: `GET, POST`. */
export const ROUTES: readonly (readonly [path: string, allow: string])[] = [
  ...['/health', '/payments', ...VIEWS.map((view) => `/admin/${view}`)].map(
    (path) => [path, 'GET'] as const,
  ),
  ...COLLECTIONS.flatMap((name) => [`/${name}`, `${TENANT}/${name}`]).flatMap((path) => [
    [path, 'GET, POST'] as const,
    [`${path}/{id}`, 'GET, PATCH, DELETE'] as const,
  ]),
];

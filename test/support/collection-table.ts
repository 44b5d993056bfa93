// The contract's tables "Identifiers" and "Fields and validation by collection", as the API's page
// repeats them, and its routes: the service's own tables are under test.

import type { CollectionName } from '../../src/core/domain/collection-name.js';
import { codesIn, sectionOf, tableRows } from './pages.js';

export type { CollectionName };

export interface CollectionRow {
  readonly name: CollectionName;
  readonly idPrefix: string;
  readonly idDigitsMin: number;
  /** Required, non-empty strings. */
  readonly texts: readonly string[];
  /** Required, numbers above 0. */
  readonly numbers: readonly string[];
  readonly defaults: Record<string, unknown>;
  /** The smallest body that a create accepts: the required properties and nothing else. */
  readonly body: Record<string, unknown>;
}

export const COLLECTION_TABLE: readonly CollectionRow[] = tableRows(
  sectionOf('src/core/http/README.md', '## Records'),
).map((cells) => {
  const [, idPrefix = '', digits = ''] = /`([A-Z]+-)(0*1)`/.exec(cells['First id'] ?? '') ?? [];
  const required = (kind: string) =>
    (cells['Must have'] ?? '')
      .split(';')
      .filter((group) => group.endsWith(kind))
      .flatMap(codesIn);
  const defaults = [...(cells['Set when absent'] ?? '').matchAll(/`(\w+)` (\w+)/g)].map(
    ([, name, value = '']) => [name, /^(\d+|true)$/.test(value) ? JSON.parse(value) : value],
  );
  const [texts, numbers] = [required('non-empty text'), required('number above 0')];
  const body = [...texts.map((name) => [name, `some ${name}`]), ...numbers.map((n) => [n, 1000])];
  return {
    name: cells['Collection'] as CollectionName,
    idPrefix,
    idDigitsMin: digits.length,
    texts,
    numbers,
    defaults: Object.fromEntries(defaults),
    body: Object.fromEntries(body),
  };
});

export const COLLECTIONS = COLLECTION_TABLE.map(({ name }) => name);

const byName = <T>(of: (row: CollectionRow) => T) =>
  Object.fromEntries(COLLECTION_TABLE.map((row) => [row.name, of(row)])) as Readonly<
    Record<CollectionName, T>
  >;
/** The smallest body of every collection. */
export const VALID_BODY = byName(({ body }) => body);
export const ROW_OF = byName((row) => row);

/** `ORD-0042` → 42. */
export function sequenceOfId(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1));
}

const TENANT = '/admin/accounts/{owner_sub}';
const VIEWS = ['overview', 'health', 'usage', 'audit', 'accounts', 'accounts/{owner_sub}'];

/** Every path of the API and its methods, as in an `Allow` header: `GET, POST`. */
export const ROUTES: readonly (readonly [path: string, allow: string])[] = [
  ...['/health', '/payments', ...VIEWS.map((view) => `/admin/${view}`)].map(
    (path) => [path, 'GET'] as const,
  ),
  ...COLLECTIONS.flatMap((name) => [`/${name}`, `${TENANT}/${name}`]).flatMap((path) => [
    [path, 'GET, POST'] as const,
    [`${path}/{id}`, 'GET, PATCH, DELETE'] as const,
  ]),
];

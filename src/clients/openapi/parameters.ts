// Parameters, each described once: `components.parameters`.

import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import { formatId } from '../../core/domain/identifier.js';
import type { JsonObject } from '../../core/domain/json.js';
import { PAGE_DEFAULT } from '../../core/domain/limits.js';
import { ADMIN_PAGE_SIZES, DATA_PAGE_SIZES } from '../../core/domain/listing.js';
import { UNCHECKED } from './schemas.js';

const PARAMETERS = {
  owner_sub: path(
    'owner_sub',
    'The account, by its subject; `~.` and `~..` name the subjects `.` and `..`',
    'local-preview',
  ),
  q: query('q', 'Text to find anywhere in the JSON, ignoring case', { type: 'string' }),
  status: query('status', "The record's exact `status`; records without one always pass", {
    type: 'string',
  }),
  page: query(
    'page',
    'Number of the page; a value that is not a positive whole number counts as 1',
    count(PAGE_DEFAULT),
  ),
  page_size: pageSize(DATA_PAGE_SIZES),
  admin_page_size: pageSize(ADMIN_PAGE_SIZES),
} as const;

export type ParameterName = keyof typeof PARAMETERS;

export function componentParameters(): JsonObject {
  // Of each collection, with the id of a sample record.
  const ids = COLLECTION_NAMES.map((name) => {
    const description = `Id of ${COLLECTIONS[name].names.phrase}`;
    return [idKey(name), path('id', description, formatId(name, 1))];
  });
  return { ...Object.fromEntries(ids), ...PARAMETERS };
}

/** The parameters in a route's path, such as `/admin/accounts/:owner_sub/orders/:id`. */
export function pathParameters(path: string, collection: CollectionName | undefined): JsonObject[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
    parameterRef(name === 'id' && collection !== undefined ? idKey(collection) : name),
  );
}

export function parameterRef(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

/** In `components.parameters`, such as `TeamMemberId`. */
function idKey(name: CollectionName): string {
  return `${COLLECTIONS[name].names.one}Id`;
}

function path(name: string, description: string, example: string) {
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example };
}

function query(name: string, description: string, schema: JsonObject) {
  return { name, in: 'query', description, schema };
}

function count(value: number) {
  return { type: 'integer', format: 'int64', minimum: 1, default: value, ...UNCHECKED };
}

/** No maximum: the service accepts a larger number and answers with the largest page. */
function pageSize({ max, default: usual }: typeof DATA_PAGE_SIZES) {
  const words = `Rows on a page. More than ${max} counts as ${max}; a value that is not a positive whole number counts as ${usual}`;
  return query('page_size', words, count(usual));
}

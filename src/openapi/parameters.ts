// Parameters and headers, each described once: `components.parameters` and
// `components.headers`.

import type { JsonObject } from '../domain/json.js';
import { PAGE_DEFAULT } from '../domain/limits.js';
import { ADMIN_PAGE_SIZES, DATA_PAGE_SIZES } from '../domain/listing.js';

type PageSizes = typeof DATA_PAGE_SIZES;

const pageSize = (sizes: PageSizes) =>
  query(
    'page_size',
    `Rows a page; more than ${sizes.max} is taken as ${sizes.max}, anything that is no positive whole number as ${sizes.default}`,
    { type: 'integer', minimum: 1, maximum: sizes.max, default: sizes.default },
  );

export const PARAMETERS = {
  id: path('id', 'Id of the record', 'ORD-0002'),
  owner_sub: path(
    'owner_sub',
    'The account, by its subject; `~.` and `~..` name the subjects `.` and `..`',
    'local-preview',
  ),
  q: query('q', 'Text to look for anywhere in the JSON, capitals or not', { type: 'string' }),
  status: query('status', "The record's exact `status`; records without one always pass", {
    type: 'string',
  }),
  page: query('page', 'Which page; anything that is no positive whole number is the first', {
    type: 'integer',
    minimum: 1,
    default: PAGE_DEFAULT,
  }),
  page_size: pageSize(DATA_PAGE_SIZES),
  admin_page_size: pageSize(ADMIN_PAGE_SIZES),
  request_id: {
    name: 'X-Request-ID',
    in: 'header',
    description: 'Echoed as it is; without one the service makes one',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, JsonObject>;

export type ParameterName = keyof typeof PARAMETERS;

export function parameterRef(name: ParameterName): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

/** The headers of every answer. */
export const HEADERS = {
  'X-Request-ID': header("The request's own, or `req_` and 16 hexadecimal digits", {
    type: 'string',
    minLength: 1,
  }),
  'Cache-Control': header('Answers are never to be kept', fixed('no-store')),
  'X-Content-Type-Options': header('The content type is to be believed', fixed('nosniff')),
  'Access-Control-Expose-Headers': header(
    'What scripts of other origins may read',
    fixed('X-Request-ID'),
  ),
  'Access-Control-Allow-Origin': {
    description:
      'Any origin, or the one that asks where it is on the list of the service; else absent',
    schema: { type: 'string' },
  },
  Vary: {
    description: 'Where the service has a list of origins and the one that asks is on it',
    schema: fixed('Origin'),
  },
} as const satisfies Record<string, JsonObject>;

export function headerRefs(): JsonObject {
  return Object.fromEntries(
    Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

function path(name: string, description: string, example: string) {
  return { name, in: 'path', required: true, description, schema: { type: 'string' }, example };
}

function query(name: string, description: string, schema: JsonObject) {
  return { name, in: 'query', description, schema };
}

function header(description: string, schema: JsonObject) {
  return { description, required: true, schema };
}

function fixed(value: string) {
  return { type: 'string', const: value };
}

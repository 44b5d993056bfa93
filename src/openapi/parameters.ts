// Parameters and headers, each described once: `components.parameters` and
// `components.headers`.

import type { JsonObject } from '../domain/json.js';
import { PAGE_DEFAULT } from '../domain/limits.js';
import { ADMIN_PAGE_SIZES, DATA_PAGE_SIZES } from '../domain/listing.js';

type PageSizes = typeof DATA_PAGE_SIZES;

const pageSize = (sizes: PageSizes) =>
  query(
    'page_size',
    `Rows on a page. More than ${sizes.max} counts as ${sizes.max}; a value that is not a positive whole number counts as ${sizes.default}`,
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
  page: query(
    'page',
    'Number of the page; a value that is not a positive whole number counts as 1',
    {
      type: 'integer',
      minimum: 1,
      default: PAGE_DEFAULT,
    },
  ),
  page_size: pageSize(DATA_PAGE_SIZES),
  admin_page_size: pageSize(ADMIN_PAGE_SIZES),
  request_id: {
    name: 'X-Request-ID',
    in: 'header',
    description: 'Echoed unchanged; without it the service makes an id',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, JsonObject>;

export type ParameterName = keyof typeof PARAMETERS;

export function parameterRef(name: ParameterName): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

/** The headers of every answer. */
export const HEADERS = {
  'X-Request-ID': header("The request's own id, or `req_` and 16 hexadecimal digits", {
    type: 'string',
    minLength: 1,
  }),
  'Cache-Control': header('Answers must not be stored', fixed('no-store')),
  'X-Content-Type-Options': header('Readers must not guess another content type', fixed('nosniff')),
  'Access-Control-Expose-Headers': header(
    'The headers that scripts of other origins may read',
    fixed('X-Request-ID'),
  ),
  'Access-Control-Allow-Origin': {
    description:
      '`*`, or the origin of the request if it is on the list of the service; otherwise absent',
    schema: { type: 'string' },
  },
  Vary: {
    description: 'Sent if the service has a list of origins and the origin of the request is on it',
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

// The OpenAPI document as tests read it: which operation a request is, and which
// schema an answer has to fit. Made from the sources, so that tests of one host
// from source need no build; test/openapi/built.test.ts holds the built file to it.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/clients/openapi/document.js';

interface MediaType {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly schema: object }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, readonly []>>[];
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
}

interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>> & { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** RFC 3339, UTC, with at most nine decimals. */
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;

export const DOCUMENT: OpenApiDocument = JSON.parse(JSON.stringify(openApiDocument()));

export type DescribedOperation = (typeof OPERATIONS)[number];

/** `name`: such as `GET /customers/{id}`. */
export const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
  ['get', 'post', 'patch', 'delete'].flatMap((key) => {
    const [object, method] = [item[key], key.toUpperCase()];
    return object === undefined ? [] : [{ name: `${method} ${path}`, method, path, object }];
  }),
);

/** The document's path for a request's path, such as `/customers/{id}`; undefined if there is none. */
export function describedPath(path: string): string | undefined {
  const segments = path.split('/').map(decoded);
  return Object.keys(DOCUMENT.paths).find((template) => {
    const wanted = `/api/v1${template}`.split('/');
    return (
      wanted.length === segments.length &&
      wanted.every((part, i) => (part.startsWith('{') ? segments[i] !== '' : part === segments[i]))
    );
  });
}

/** The object that a `$ref` of the document names. */
export function resolved<T extends object>(object: T | { readonly $ref: string }): T {
  if (!('$ref' in object)) return object;
  const [, ...keys] = object.$ref.split('/');
  let found: unknown = DOCUMENT;
  for (const key of keys) found = (found as Record<string, unknown>)[key];
  if (found === undefined) throw new Error(`the document has no ${object.$ref}`);
  return found as T;
}

const ajv = new Ajv2020({
  strict: false,
  formats: { 'date-time': DATE_TIME, double: true, int64: true },
});
ajv.addSchema(closed(DOCUMENT) as object, 'typed');
ajv.addSchema(closed(DOCUMENT, true) as object, 'enforced');

/**
 * What is wrong with a value by a schema of the document, or undefined. What the
 * document says by agreement only (`x-unchecked`) is not held against the value.
 * `pointer`: JSON Pointer, such as `/components/schemas/Meta`.
 */
export function violation(value: unknown, pointer: string, rules = 'enforced'): string | undefined {
  // Ajv keeps what it has compiled for a reference.
  const validate = ajv.getSchema(`${rules}#${pointer}`);
  if (validate === undefined) throw new Error(`the document has no ${pointer}`);
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'it' });
}

/** The same by every word of the document: for values that the project itself writes. */
export function typedViolation(value: unknown, pointer: string): string | undefined {
  return violation(value, pointer, 'typed');
}

/** Where the document does not say that an object is open, a property that it does not name is one that it forgot. */
function closed(schema: unknown, isEnforced = false): unknown {
  if (Array.isArray(schema)) return schema.map((inner) => closed(inner, isEnforced));
  if (typeof schema !== 'object' || schema === null) return schema;
  if (isEnforced && 'x-unchecked' in schema) return {};
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value, isEnforced)]);
  const isForgetful = 'properties' in schema && !('additionalProperties' in schema);
  return Object.fromEntries(isForgetful ? [...entries, ['additionalProperties', false]] : entries);
}

/** `/paths/~1customers/get`, … */
export function pointerOf(...keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Decodes once, as the service does. A path with an invalid escape names nothing; its answer is 404. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

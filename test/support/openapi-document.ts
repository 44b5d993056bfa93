// The OpenAPI document for the tests, and whether a response fits it, as every response to a
// contract test must. Made from the sources; openapi/built compares the built file with it.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/clients/openapi/document.js';

interface MediaType {
  readonly schema: object;
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly []>>[];
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
    const pattern = new RegExp(`^/api/v1${path.replaceAll(/{\w+}/g, '[^/]+')}$`);
    const operation = { name: `${method} ${path}`, method, path, pattern };
    return object === undefined ? [] : [{ ...operation, object }];
  }),
);

/** Throws if the status or the body of the response does not fit the document. */
export async function expectDescribed(method: string, target: string, response: Response) {
  const { pathname } = new URL(target, 'http://localhost');
  const text = await response.text();
  const problem = problemOf(method, pathname, response, text === '' ? undefined : JSON.parse(text));
  if (problem === undefined) return;
  const exchange = `${method} ${pathname} ${response.status}`;
  throw new Error(`the OpenAPI document is not true of ${exchange}: ${problem}`);
}

function problemOf(method: string, pathname: string, { status, headers }: Response, body: unknown) {
  // Escapes are decoded once, as the service does; an escaped slash belongs to its segment.
  const path = pathname.replaceAll(/%(?!2f)[2-7][\da-f]/gi, (one) => decodeURIComponent(one));
  const operation = OPERATIONS.find((one) => one.method === method && one.pattern.test(path));
  if (operation === undefined) {
    if (body === undefined) return undefined;
    if (status < 400) return 'no such operation';
    return violation(body, '/components/schemas/ErrorEnvelope');
  }
  const { responses } = operation.object;
  const key = Object.hasOwn(responses, status) ? String(status) : 'default';
  const described = responses[key];
  if (described === undefined) return 'the status is not described';
  const response = resolved<ResponseObject>(described);
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  const at = pointerOf('paths', operation.path, method.toLowerCase(), 'responses', key);
  const { code } = (body as { error?: { code?: string } }).error ?? {};
  if (code !== undefined && !codesOf(response).includes(code)) return `code ${code}`;
  const place = '$ref' in described ? described.$ref.slice(1) : at;
  if (!Object.hasOwn(response.content ?? {}, type)) return `content type ${type}`;
  return violation(body, `${place}${pointerOf('content', type, 'schema')}`);
}

/** The error codes of a response, which its description names. */
export function codesOf({ description }: ResponseObject): string[] {
  return [...description.matchAll(/`([A-Z_]+)`: /g)].map(([, code = '']) => code);
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
 * What is wrong with a value according to a schema of the document, or undefined. `typed`: also
 * checks conventions (`x-unchecked`), for values that the project itself writes. `pointer`: JSON
 * Pointer, such as `/components/schemas/Meta`.
 */
export function violation(
  value: unknown,
  pointer: string,
  rules: 'enforced' | 'typed' = 'enforced',
): string | undefined {
  // Ajv caches what it has compiled for a reference.
  const validate = ajv.getSchema(`${rules}#${pointer}`);
  if (validate === undefined) throw new Error(`the document has no ${pointer}`);
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'it' });
}

/** Unless the document marks an object as open, a property that it does not name is an omission. */
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

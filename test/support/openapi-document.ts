// The OpenAPI document as tests read it, and whether an answer fits it: every answer that a contract
// test receives must. Made from the sources, so that tests of one host from source need no build;
// test/openapi/built.test.ts holds the built file to it.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/clients/openapi/document.js';

interface MediaType {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface ResponseObject {
  readonly headers?: object;
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

/** The responses of the document for a request that is no operation, by status. */
const REFUSALS: Readonly<Record<number, readonly string[]>> = {
  401: ['Unauthorized'],
  404: ['NotFound'],
  503: ['AuthUnavailable', 'AdminDisabled'],
};
/** The contract's "Common headers". The document leaves them out: no client decides on them. */
const HEADERS: Readonly<Record<string, RegExp>> = {
  'X-Request-ID': /./,
  'Cache-Control': /^no-store$/,
  'X-Content-Type-Options': /^nosniff$/,
  'Access-Control-Expose-Headers': /^X-Request-ID$/,
  Vary: /^(Origin)?$/,
};

/** `name`: such as `GET /customers/{id}`. */
export const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
  ['get', 'post', 'patch', 'delete'].flatMap((key) => {
    const [object, method] = [item[key], key.toUpperCase()];
    return object === undefined ? [] : [{ name: `${method} ${path}`, method, path, object }];
  }),
);

/** Throws if the answer's status, headers or body do not fit the document. */
export async function expectDescribed(method: string, target: string, response: Response) {
  const { pathname } = new URL(target, 'http://localhost');
  const text = await response.text();
  const problem = problemOf(method, pathname, response, text === '' ? undefined : JSON.parse(text));
  if (problem === undefined) return;
  const exchange = `${method} ${pathname} ${response.status}`;
  throw new Error(`the OpenAPI document is not true of ${exchange}: ${problem}`);
}

function problemOf(method: string, pathname: string, response: Response, body: unknown) {
  const { status, headers } = response;
  if (method === 'OPTIONS') {
    return status === 204 && body === undefined ? undefined : 'a preflight is 204';
  }
  const operations = OPERATIONS.filter(({ path }) => isAt(path, pathname));
  const operation = operations.find((one) => one.method === method);
  if (operation !== undefined) {
    const { responses } = operation.object;
    const described = Object.hasOwn(responses, status) ? String(status) : 'default';
    const keys = ['paths', operation.path, method.toLowerCase(), 'responses', described];
    return responseProblem(pointerOf(...keys), responses[described], response, body);
  }
  if (status === 405) {
    // "Another method on a path that is … is 405 with the header `Allow`." An answer to HEAD has no body.
    const allowed = operations.map((one) => one.method).join(', ');
    if (allowed === '' || headers.get('allow') !== allowed) return `Allow is not "${allowed}"`;
    const { meta } = (body ?? {}) as { meta?: unknown };
    return body === undefined ? undefined : violation(meta, '/components/schemas/Meta');
  }
  // "A path that is not listed here is 404", "only after the token or the key was found good".
  const names = REFUSALS[status];
  if (names === undefined) return 'the document does not have this operation';
  if (method === 'HEAD') return undefined;
  const problems = names.map((name) =>
    responseProblem('', { $ref: `#/components/responses/${name}` }, response, body),
  );
  return problems.includes(undefined) ? undefined : problems.join('; or ');
}

/** Whether a path of the document, such as `/customers/{id}`, is that of the request. */
function isAt(template: string, path: string): boolean {
  const segments = path.split('/').map(decoded);
  const wanted = `/api/v1${template}`.split('/');
  const isSegment = (part: string, i: number) =>
    part.startsWith('{') ? segments[i] !== '' : part === segments[i];
  return wanted.length === segments.length && wanted.every(isSegment);
}

function responseProblem(
  pointer: string,
  described: OperationObject['responses'][string] | undefined,
  { headers }: Response,
  body: unknown,
): string | undefined {
  if (described === undefined) return 'the status is not described';
  const { content = {} } = resolved<ResponseObject>(described);
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (!Object.hasOwn(content, type)) return `content type ${type}`;
  for (const [name, wanted] of Object.entries(HEADERS)) {
    if (!wanted.test(headers.get(name) ?? '')) return `header ${name}: ${headers.get(name)}`;
  }
  const at = '$ref' in described ? described.$ref.slice(1) : pointer;
  const found = violation(body, `${at}${pointerOf('content', type, 'schema')}`);
  // The codes of a response are the names of its examples.
  const code = (body as { error?: { code?: string } }).error?.code ?? '';
  const { examples } = content[type] ?? {};
  const isOther = examples !== undefined && !Object.hasOwn(examples, code);
  return found ?? (isOther ? `code ${code} is none of ${Object.keys(examples)}` : undefined);
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
export const typedViolation = (value: unknown, pointer: string) =>
  violation(value, pointer, 'typed');

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

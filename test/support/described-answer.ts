// Compares every answer that a contract test receives with the OpenAPI document:
// status, headers and body must fit the description of the operation.

import {
  DOCUMENT,
  describedPath,
  OPERATIONS,
  pointerOf,
  type ResponseObject,
  resolved,
  violation,
} from './openapi-document.js';

/** The error codes for a request that is no operation, with their responses in the document. */
const REFUSALS: Readonly<Record<number, readonly string[]>> = {
  401: ['Unauthorized'],
  404: ['NotFound'],
  503: ['AuthUnavailable', 'AdminDisabled'],
};

/** Operation and status of the answer, such as `GET /customers 200`; undefined if the request is no operation. Throws if the answer does not fit the document. */
export async function describedAnswer(
  method: string,
  target: string,
  response: Response,
): Promise<string | undefined> {
  const { pathname } = new URL(target, 'http://localhost');
  const exchange = `${method} ${pathname} ${response.status}`;
  const text = await response.text();
  if (method === 'OPTIONS') {
    if (response.status !== 204 || text !== '') throw untrue(exchange, 'a preflight is 204');
    return undefined;
  }
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  const path = describedPath(pathname);
  const operation = OPERATIONS.find((one) => one.path === path && one.method === method);
  if (operation === undefined) {
    const problem =
      response.status === 405
        ? methodProblem(path, response, body)
        : refusalProblem(method, response, body);
    if (problem !== undefined) throw untrue(exchange, problem);
    return undefined;
  }
  const { responses } = operation.object;
  const status = String(response.status);
  const described = Object.hasOwn(responses, status) ? status : 'default';
  const pointer = ['paths', operation.path, method.toLowerCase(), 'responses', described];
  const problem = responseProblem(pointer, responses[described], response, body);
  if (problem !== undefined)
    throw untrue(`${exchange}, by ${operation.name} ${described}`, problem);
  return `${operation.name} ${described}`;
}

function responseProblem(
  pointer: readonly string[],
  described: ResponseObject | { readonly $ref: string } | undefined,
  response: Response,
  body: unknown,
): string | undefined {
  if (described === undefined) return 'the status is not described';
  const { content = {} } = resolved<ResponseObject>(described);
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  if (!Object.hasOwn(content, type)) return `content type ${type}`;
  const at = '$ref' in described ? described.$ref.slice(1) : pointerOf(...pointer);
  return (
    headersProblem(response) ??
    violation(body, `${at}${pointerOf('content', type, 'schema')}`) ??
    codeProblem(content[type]?.examples, body)
  );
}

/** The contract's "Common headers". The document leaves them out: no client decides on them. */
const HEADERS: Readonly<Record<string, RegExp>> = {
  'X-Request-ID': /./,
  'Cache-Control': /^no-store$/,
  'X-Content-Type-Options': /^nosniff$/,
  'Access-Control-Expose-Headers': /^X-Request-ID$/,
};
const OPTIONAL_HEADERS: Readonly<Record<string, RegExp>> = {
  'Access-Control-Allow-Origin': /./,
  Vary: /^Origin$/,
};

function headersProblem({ headers }: Response): string | undefined {
  for (const [name, wanted] of Object.entries(HEADERS)) {
    if (!wanted.test(headers.get(name) ?? '')) return `header ${name}: ${headers.get(name)}`;
  }
  for (const [name, wanted] of Object.entries(OPTIONAL_HEADERS)) {
    const value = headers.get(name);
    if (value !== null && !wanted.test(value)) return `header ${name}: ${value}`;
  }
  return undefined;
}

/** The codes of a response are the names of its examples. */
function codeProblem(examples: object | undefined, body: unknown): string | undefined {
  const code = (body as { error?: { code?: string } }).error?.code;
  if (examples === undefined || (code !== undefined && Object.hasOwn(examples, code))) return;
  return `code ${code} is none of ${Object.keys(examples)}`;
}

/** "Another method on a path that is … is 405 with the header `Allow`." */
function methodProblem(
  path: string | undefined,
  response: Response,
  body: unknown,
): string | undefined {
  if (path === undefined) return 'the document does not have this path';
  const methods = OPERATIONS.filter((one) => one.path === path).map(({ method }) => method);
  const allow = response.headers.get('allow');
  if (allow !== methods.join(', ')) return `Allow is ${allow}; the document has ${methods}`;
  // An answer to HEAD has no body.
  if (body === undefined) return undefined;
  return violation((body as { meta: unknown }).meta, '/components/schemas/Meta');
}

/** "A path that is not listed here is 404", "only after the token or the key was found good". */
function refusalProblem(method: string, response: Response, body: unknown): string | undefined {
  const names = REFUSALS[response.status];
  if (names === undefined) return 'the document does not have this operation';
  if (method === 'HEAD') return undefined;
  const problems = names.map((name) =>
    responseProblem([], { $ref: `#/components/responses/${name}` }, response, body),
  );
  return problems.includes(undefined) ? undefined : problems.join('; or ');
}

function untrue(exchange: string, problem: string): Error {
  return new Error(
    `the OpenAPI document ${DOCUMENT.info.version} is not true of ${exchange}: ${problem}`,
  );
}

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
  const { headers = {}, content = {} } = resolved<ResponseObject>(described);
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  if (!Object.hasOwn(content, type)) return `content type ${type}`;
  const at = '$ref' in described ? described.$ref.slice(1) : pointerOf(...pointer);
  return (
    headersProblem(headers, response) ??
    violation(body, `${at}${pointerOf('content', type, 'schema')}`)
  );
}

function headersProblem(
  described: NonNullable<ResponseObject['headers']>,
  response: Response,
): string | undefined {
  for (const [name, ref] of Object.entries(described)) {
    const value = response.headers.get(name);
    const { required = false } = resolved<{ required?: boolean }>(ref);
    if (value === null && !required) continue;
    const problem = violation(value, `${ref.$ref.slice(1)}/schema`);
    if (problem !== undefined) return `header ${name}: ${problem}`;
  }
  return undefined;
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
    violation(
      body,
      pointerOf('components', 'responses', name, 'content', 'application/json', 'schema'),
    ),
  );
  return problems.includes(undefined) ? undefined : problems.join('; or ');
}

function untrue(exchange: string, problem: string): Error {
  return new Error(
    `the OpenAPI document ${DOCUMENT.info.version} is not true of ${exchange}: ${problem}`,
  );
}

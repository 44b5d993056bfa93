// Compares every answer that a contract test receives with the OpenAPI document:
// status, headers and body must fit the description of the operation.

import {
  describedPath,
  OPERATIONS,
  pointerOf,
  type ResponseObject,
  resolved,
  violation,
} from './openapi-document.js';

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

/** Throws if the answer does not fit the document. */
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
  const path = describedPath(pathname);
  const operations = OPERATIONS.filter((one) => one.path === path);
  const operation = operations.find((one) => one.method === method);
  if (operation !== undefined) {
    const { responses } = operation.object;
    const described = Object.hasOwn(responses, status) ? String(status) : 'default';
    const pointer = pointerOf(
      'paths',
      operation.path,
      method.toLowerCase(),
      'responses',
      described,
    );
    return responseProblem(pointer, responses[described], response, body);
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

function responseProblem(
  pointer: string,
  described: ResponseObject | { readonly $ref: string } | undefined,
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

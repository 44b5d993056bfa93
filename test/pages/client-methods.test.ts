// The clients' methods against the route table and the client page: every path
// and method of the API has a method of a client, and the page names its request.

import { expect, it } from 'vitest';
import { type ClientErrorCode, type ClientOptions, createClient } from '../../src/client.js';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { STATUS_OF } from '../../src/core/http/envelope.js';
import { API_PREFIX } from '../../src/core/http/path.js';
import { ROUTES } from '../../src/core/http/routes.js';
import { createOperatorClient } from '../../src/operator-client.js';
import { codesIn, sectionOf, tableRows } from '../support/pages.js';

const PAGE = 'src/clients/client/README.md';
const ORIGIN = 'http://localhost';
const TENANT = '/admin/accounts/{owner_sub}';

type Method = (...args: unknown[]) => Promise<unknown> | AsyncGenerator<unknown>;
/** A client's methods, and objects of methods. */
type Methods = Readonly<Record<string, unknown>>;

const requests: string[] = [];
const options = {
  baseUrl: ORIGIN + API_PREFIX,
  async fetch(url, { method }) {
    const { pathname } = new URL(url);
    requests.push(`${method} ${decodeURIComponent(pathname.slice(API_PREFIX.length))}`);
    const pagination = { page: 1, page_size: 1, total: 0, total_pages: 0 };
    return Response.json({ data: [], meta: { request_id: 'r', pagination } });
  },
} satisfies Omit<ClientOptions, 'token'>;

const client = createClient({ ...options, token: 't' });
const operator = createOperatorClient({ ...options, adminKey: 'k' });
const ofAccount = operator.recordsOf('{owner_sub}');

/** The operations of the API, as `GET /customers/{id}`. */
const SERVED = ROUTES.flatMap(({ path, actions }) =>
  Object.keys(actions).map(
    (method) => `${method} ${path.slice(API_PREFIX.length).replace(/:(\w+)/g, '{$1}')}`,
  ),
);

/** The compiler knows of each that is missing or too many. */
const OWN_CODES: Readonly<Record<ClientErrorCode, true>> = {
  ABORTED: true,
  CONNECTION_FAILED: true,
  INVALID_CALL: true,
  NO_TOKEN: true,
  RATE_LIMITED: true,
  TIMED_OUT: true,
  UNEXPECTED_ANSWER: true,
};

it('The clients have a method for every path and method of the API', async () => {
  const sent = [
    ...(await requestsOf(client)),
    ...(await requestsOf(operator)),
    ...(await requestsOf(ofAccount)),
  ].map(({ request }) => request);
  expect(
    SERVED.filter((operation) => !sent.includes(operation)),
    'operations without a method; add it to src/client.ts or src/operator-client.ts',
  ).toEqual([]);
  expect(
    sent.filter((operation) => !SERVED.includes(operation)),
    'requests of a client that the API does not have',
  ).toEqual([]);
});

it('The page names the request of every method of the client', async () => {
  expectSame(shown('## The typed client'), await general(client));
});

it("The page names the request of every method of the operator's client", async () => {
  const rows = shown("## The operator's client");
  const records = rows.find(([method]) => method === 'recordsOf(owner_sub).COLLECTION');
  expect(records?.[1]).toBe(`${TENANT}/{collection}`);
  expectSame(
    rows.filter((row) => row !== records),
    await general(operator),
  );
  const own = (await general(client)).filter(([method]) => method.startsWith('COLLECTION'));
  const prefixed = own.map(([method, request]) => [method, request.replace(' ', ` ${TENANT}`)]);
  expect(await general(ofAccount)).toEqual(prefixed);
});

it("The page explains every code of the client's own, and no code that does not exist", () => {
  const shown = tableRows(sectionOf(PAGE, '### Errors')).flatMap((row) =>
    codesIn(row['`code`'] ?? ''),
  );
  const missing = Object.keys(OWN_CODES).filter((code) => !shown.includes(code));
  expect(missing, `add these codes to the table "Errors" of ${PAGE}`).toEqual([]);
  const unknown = shown.filter((code) => !(code in OWN_CODES || code in STATUS_OF));
  expect(unknown, `neither the client nor the service has these codes of ${PAGE}`).toEqual([]);
});

/** The page's rows, and the methods of the client with their requests. */
function expectSame(rows: [string, string][], methods: [string, string][]): void {
  const [onPage, inCode] = [rows, methods].map((pairs) => pairs.map((pair) => pair.join(': ')));
  expect(
    inCode?.filter((pair) => !onPage?.includes(pair)),
    `methods that a table of ${PAGE} lacks`,
  ).toEqual([]);
  expect(
    onPage?.filter((pair) => !inCode?.includes(pair)),
    `rows of ${PAGE} that no method of the client has`,
  ).toEqual([]);
}

/** Every method of the client with its request, the collections as one. */
async function general(of: object): Promise<[string, string][]> {
  const pairs = (await requestsOf(of)).map(({ name, request }): [string, string] => {
    const [first = ''] = name.split('.');
    if (!COLLECTION_NAMES.some((collection) => collection === first)) return [name, request];
    const path = request.replace(new RegExp(`/${first}(?=/|$)`), '/{collection}');
    return [name.replace(first, 'COLLECTION'), path];
  });
  const unique = new Map(pairs.map((pair) => [pair.join(' '), pair]));
  return [...unique.values()].sort(byText);
}

/** The rows of the page's table: one pair for each method that a row names. */
function shown(heading: string): [string, string][] {
  return tableRows(sectionOf(PAGE, heading))
    .flatMap((row) => {
      const request = codesIn(row['Request'] ?? '')[0] ?? '';
      return codesIn(row['Method'] ?? '').map((method): [string, string] => [
        method.replace(/\((?!owner_sub\)\.).*\)/, ''),
        request,
      ]);
    })
    .sort(byText);
}

function byText(a: readonly string[], b: readonly string[]): number {
  return a.join(' ') < b.join(' ') ? -1 : 1;
}

/** Calls every method of the client once. */
async function requestsOf(of: object, prefix = ''): Promise<{ name: string; request: string }[]> {
  const found = [];
  for (const [key, member] of Object.entries(of as Methods)) {
    const name = prefix + key;
    if (key === 'recordsOf') continue;
    if (typeof member !== 'function') {
      found.push(...(await requestsOf(member as object, `${name}.`)));
      continue;
    }
    await called(member as Method, key, name);
    found.push({ name, request: requests.pop() ?? 'no request' });
  }
  return found;
}

async function called(method: Method, key: string, name: string): Promise<void> {
  const takesId = ['read', 'update', 'delete'].includes(key);
  const id = name.startsWith('accounts') ? '{owner_sub}' : '{id}';
  const result = takesId ? method(id, {}) : method();
  if (Symbol.asyncIterator in result) await result.next();
  else await result;
}

// The clients' methods against the route table: every path and method of the API has a method of a
// client. And the page explains every error code of the client's own.

import { expect, it } from 'vitest';
import { type ClientErrorCode, type ClientOptions, createClient } from '../../src/client.js';
import { STATUS_OF } from '../../src/core/http/envelope.js';
import { API_PREFIX } from '../../src/core/http/path.js';
import { ROUTES } from '../../src/core/http/routes.js';
import { createOperatorClient } from '../../src/operator-client.js';
import { codesIn, sectionOf, tableRows } from '../support/pages.js';

const PAGE = 'src/clients/client/README.md';
const ORIGIN = 'http://localhost';

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
  for (const one of [client, operator, ofAccount]) await callAll(one);
  const sent = requests;
  expect(
    SERVED.filter((operation) => !sent.includes(operation)),
    'operations without a method; add it to src/client.ts or src/operator-client.ts',
  ).toEqual([]);
  expect(
    sent.filter((operation) => !SERVED.includes(operation)),
    'requests of a client that the API does not have',
  ).toEqual([]);
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

/** Calls every method of the client once. */
async function callAll(of: object, prefix = ''): Promise<void> {
  for (const [key, member] of Object.entries(of as Methods)) {
    if (key === 'recordsOf') continue;
    if (typeof member === 'function') await called(member as Method, key, prefix + key);
    else await callAll(member as object, `${prefix}${key}.`);
  }
}

async function called(method: Method, key: string, name: string): Promise<void> {
  const takesId = ['read', 'update', 'delete'].includes(key);
  const id = name.startsWith('accounts') ? '{owner_sub}' : '{id}';
  const result = takesId ? method(id, {}) : method();
  if (Symbol.asyncIterator in result) await result.next();
  else await result;
}

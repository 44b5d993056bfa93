// Sends one request and checks what every response must have: headers, envelope, and no data of
// another account.

import assert, { AssertionError } from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import type { Row } from '../../support/contract.js';
import type { Call, Client } from '../service/client.js';

let requests = 0;

/** A text that is in every record of this account, and in no response to another account. */
export function canaryOf(subject: string): string {
  return `canary-${subject.replace(/\D/g, '')}`;
}

/** Rejects if the response's form breaks the contract, or if it contains data of another account. */
export async function exchange<Data = Row>(client: Client, call: Call) {
  const requestId = `r-${++requests}`;
  const { status, headers, text, json } = await client.send<Data>({ ...call, requestId });
  const what = `${call.method} ${call.path} → ${status} ${text.slice(0, 500)}`;
  const names = ['content-type', 'cache-control', 'x-content-type-options', 'x-request-id'];
  const found = names.map((name) => headers.get(name));
  assertEqual(found, ['application/json; charset=utf-8', 'no-store', 'nosniff', requestId], what);
  const { account } = call;
  if (account !== undefined) {
    const canaries = `${text} ${JSON.stringify([...headers])}`.match(/canary-\d+/g) ?? [];
    const strange = canaries.filter((canary) => canary !== canaryOf(account));
    assert(strange.length === 0, `${what}: holds ${strange[0]}, asked by ${account}`);
  }
  const { request_id, timestamp, pagination, ...more } = json.meta;
  assert(
    isDeepStrictEqual(Object.keys(json), [status >= 400 ? 'error' : 'data', 'meta']) &&
      request_id === requestId &&
      Math.abs(Date.parse(timestamp) - Date.now()) < 60_000 &&
      Object.keys(more).length === 0,
    `${what}: not the envelope`,
  );
  return { status, data: json.data, code: json.error?.code, pagination };
}

/** A view of the operator. */
export async function view<Data = Row>(client: Client, path: string) {
  return exchange<Data>(client, { method: 'GET', path: `/admin${path}` });
}

/** Throws if the two differ; the message shows where. The order of properties does not count. */
export function assertEqual(found: unknown, wanted: unknown, what: string): void {
  if (isDeepStrictEqual(found, wanted)) return;
  const how = { actual: found, expected: wanted, operator: 'deepStrictEqual' };
  throw new Error(`${what}: ${new AssertionError(how).message}`);
}

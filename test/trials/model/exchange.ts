// Sends one request and checks what holds for every answer: headers, envelope, and that it
// holds no data of another account.

import { AssertionError } from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import { asAccount } from '../../support/identity-stub.js';
import { ADMIN_KEY } from '../service/service-process.js';

export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

export interface Answer {
  status: number;
  data: unknown;
  /** The code of an error. */
  code: string | undefined;
  pagination: unknown;
}

/** Stands for the operator as the caller. An account stands for itself by its subject. */
export const OPERATOR = Symbol('operator');

const CANARY = /canary-\d+/g;
let requests = 0;

/** A text that is in every record of this account, and in no answer to another account. */
export function canaryOf(subject: string) {
  return `canary-${subject.replace(/\D/g, '')}`;
}

/**
 * Sends the request and reads the answer. Rejects when the form of the answer breaks the
 * contract, or when the answer holds data of another account.
 */
export async function exchange(
  fetch: Fetch,
  who: string | typeof OPERATOR,
  method: string,
  path: string,
  body: string | undefined = undefined,
): Promise<Answer> {
  const requestId = `r-${++requests}`;
  const response = await fetch(`/api/v1${path}`, {
    method,
    headers: {
      'X-Request-ID': requestId,
      ...(who === OPERATOR ? { 'X-Service-Admin-Key': ADMIN_KEY } : asAccount(who)),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const what = `${method} ${path} → ${response.status} ${text.slice(0, 500)}`;
  const headers = ['content-type', 'cache-control', 'x-content-type-options', 'x-request-id'];
  const found = headers.map((name) => response.headers.get(name));
  same(found, ['application/json; charset=utf-8', 'no-store', 'nosniff', requestId], what);
  if (who !== OPERATOR) {
    const whole = `${text} ${JSON.stringify([...response.headers])}`;
    const strange = (whole.match(CANARY) ?? []).filter((canary) => canary !== canaryOf(who));
    must(strange.length === 0, `${what}: holds ${strange[0]}, asked by ${who}`);
  }
  const json = JSON.parse(text);
  const isError = response.status >= 400;
  const { request_id, timestamp, pagination, ...more } = json.meta;
  must(
    isDeepStrictEqual(Object.keys(json), [isError ? 'error' : 'data', 'meta']) &&
      request_id === requestId &&
      Math.abs(Date.parse(timestamp) - Date.now()) < 60_000 &&
      Object.keys(more).length === 0,
    `${what}: not the envelope`,
  );
  return { status: response.status, data: json.data, code: json.error?.code, pagination };
}

/** Throws with the message unless the condition holds. */
export function must(holds: boolean, otherwise: string) {
  if (!holds) throw new Error(otherwise);
}

/** Throws when the two differ; the message shows where. The order of properties does not count. */
export function same(found: unknown, wanted: unknown, what: string) {
  if (isDeepStrictEqual(found, wanted)) return;
  const how = { actual: found, expected: wanted, operator: 'deepStrictEqual' };
  throw new Error(`${what}: ${new AssertionError(how).message}`);
}

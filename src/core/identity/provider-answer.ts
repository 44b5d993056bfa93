// The verdict of the user-information endpoint on a token, decided from status,
// headers and body: the same for a caller's token and for the probe's.

import { boundedBody } from '../bounded-body.js';
import { isJsonObject } from '../domain/json.js';
import { SUBJECT_MAX_BYTES, USERINFO_MAX_BYTES } from '../domain/limits.js';
import { isTooLong, subjectAt } from './subject.js';

/** Statuses by which a provider refuses the token itself. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403]);

/**
 * - `identified`: `answer` names the account.
 * - `refused`: the provider says no, by its status or in a 2xx; `answer` is what it said, if that is JSON.
 * - `unusable`: neither; `reason` says why.
 */
export type Verdict =
  | { readonly kind: 'identified'; readonly subject: string; readonly answer: unknown }
  | { readonly kind: 'refused'; readonly answer: unknown }
  | { readonly kind: 'unusable'; readonly reason: string; readonly answer?: unknown };

/** Reads at most 64 KiB of the answer. Rejects where the connection breaks. */
export async function verdictOf(response: Response, path: readonly string[]): Promise<Verdict> {
  const { status } = response;
  if (REFUSALS.has(status)) {
    const body = await boundedBody(response.body, USERINFO_MAX_BYTES);
    return { kind: 'refused', answer: body && parsed(body) };
  }
  if (status < 200 || status > 299) {
    await response.body?.cancel();
    return { kind: 'unusable', reason: `status ${status}` };
  }
  const body = await boundedBody(response.body, USERINFO_MAX_BYTES);
  if (body === undefined) {
    return { kind: 'unusable', reason: `an answer over ${USERINFO_MAX_BYTES} bytes` };
  }
  const answer = parsed(body);
  if (answer === undefined) return { kind: 'unusable', reason: 'an answer that is no JSON' };
  const subject = subjectAt(answer, path);
  if (subject !== undefined) {
    return isTooLong(subject)
      ? { kind: 'unusable', reason: `a subject over ${SUBJECT_MAX_BYTES} bytes`, answer }
      : { kind: 'identified', subject, answer };
  }
  if (saysNo(answer)) return { kind: 'refused', answer };
  return { kind: 'unusable', reason: 'an answer without a usable subject', answer };
}

/**
 * Whether a 2xx without a subject refuses the token: `null` (better-auth's session),
 * `false`, `{"active": false}` (RFC 7662), an `error` that is not empty, `{"status": "error"}` (Casdoor).
 */
function saysNo(answer: unknown): boolean {
  if (answer === null || answer === false) return true;
  if (!isJsonObject(answer)) return false;
  if (own(answer, 'active') === false || own(answer, 'status') === 'error') return true;
  return !isEmpty(own(answer, 'error'));
}

function own(answer: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(answer, name) ? answer[name] : undefined;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (value === '' || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/**
 * The JSON value, or undefined where there is none. Strict, because with bad bytes
 * replaced two subjects could become one.
 */
export function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

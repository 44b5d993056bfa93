// Reads forms, and makes each count once: a double click, a second Enter and a reload get the
// first one's answer.

import { createHash } from 'node:crypto';
import { boundedBody } from '../../core/bounded-body.js';

/** A record of 2 MiB comes as it was and as it is to be, percent-encoded. */
export const FORM_MAX_BYTES = 13 * 1_048_576;
/** The longest password, percent-encoded: anyone may send a sign-in. */
export const SIGN_IN_MAX_BYTES = 16_384;
const RESPONSES_MAX = 200;

export class SentForms {
  readonly #responses = new Map<string, Promise<Response>>();

  /**
   * Acts on a form, unless the same one was sent before: the same path and fields, the page's id
   * among them. An answer that shows the form again isn't kept, so that it can be sent again.
   */
  async once(path: string, form: URLSearchParams, act: () => Promise<Response>): Promise<Response> {
    if (!form.has('form')) return act();
    const key = createHash('sha256').update(`${path}\n${form}`).digest('base64');
    const answer = this.#responses.get(key) ?? act();
    this.#responses.set(key, answer);
    const [oldest = ''] = this.#responses.keys();
    if (this.#responses.size > RESPONSES_MAX) this.#responses.delete(oldest);
    const response = await answer;
    if (response.status !== 303 && response.status < 500) this.#responses.delete(key);
    return response.clone();
  }
}

/** Undefined if the body is longer, or isn't a form. */
export async function formOf(
  { headers, body }: Request,
  maxBytes: number,
): Promise<URLSearchParams | undefined> {
  const type = headers.get('content-type') ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded')) return undefined;
  const bytes = await boundedBody(body, maxBytes);
  return bytes && new URLSearchParams(new TextDecoder().decode(bytes));
}

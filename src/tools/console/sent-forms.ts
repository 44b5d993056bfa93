// Reads forms, and processes each only once: a double click, a second Enter or a reload gets the
// first response.

import { createHash } from 'node:crypto';
import { boundedBody } from '../../core/bounded-body.js';

/** A form has a record of up to 2 MiB before and after the change, percent-encoded. */
export const FORM_MAX_BYTES = 13 * 1_048_576;
/** The longest password, percent-encoded. Small, because anyone may submit a sign-in. */
export const SIGN_IN_MAX_BYTES = 16_384;
const RESPONSES_MAX = 200;

export class SentForms {
  readonly #responses = new Map<string, Promise<Response>>();

  /**
   * Processes a form, unless the same one was submitted before: the same path and fields, including the
   * page's id. A response that shows the form again isn't kept, so that it can be submitted again.
   */
  async once(
    path: string,
    form: URLSearchParams,
    handle: () => Promise<Response>,
  ): Promise<Response> {
    if (!form.has('form')) return handle();
    const key = createHash('sha256').update(`${path}\n${form}`).digest('base64');
    const pending = this.#responses.get(key) ?? handle();
    this.#responses.set(key, pending);
    const [oldest = ''] = this.#responses.keys();
    if (this.#responses.size > RESPONSES_MAX) this.#responses.delete(oldest);
    const response = await pending;
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

// Reads forms, and makes each count once: a double click, a second Enter and a reload get the
// first one's answer.

import { createHash } from 'node:crypto';
import { boundedBody } from '../../core/bounded-body.js';

/** A record of 2 MiB comes as it was and as it is to be, percent-encoded. */
export const FORM_MAX_BYTES = 13 * 1_048_576;
/** The longest password, percent-encoded. */
export const SIGN_IN_MAX_BYTES = 16_384;
const ANSWERS_MAX = 200;

export class SentForms {
  readonly #answers = new Map<string, Promise<Response>>();

  /**
   * Acts on a form, unless the same one was sent before: the same path and fields, the page's id
   * among them. An answer that shows the form again isn't kept, so that it can be sent again.
   */
  async once(path: string, form: URLSearchParams, act: () => Promise<Response>): Promise<Response> {
    if (!form.get('form')) return act();
    const key = createHash('sha256').update(`${path}\n${form}`).digest('base64');
    const kept = this.#answers.get(key);
    if (kept !== undefined) return (await kept).clone();
    const answer = act();
    this.#answers.set(key, answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= ANSWERS_MAX) break;
      this.#answers.delete(oldest);
    }
    try {
      const { status } = await answer;
      if (status < 300 || (status >= 400 && status < 500)) this.#answers.delete(key);
    } catch (error) {
      this.#answers.delete(key);
      throw error;
    }
    return (await answer).clone();
  }

  /** After a sign-out no kept answer may sign anyone in. */
  forget(): void {
    this.#answers.clear();
  }
}

/** Undefined if the body is longer, or isn't a form. */
export async function formOf(
  request: Request,
  maxBytes: number,
): Promise<URLSearchParams | undefined> {
  const type = request.headers.get('content-type') ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded')) return undefined;
  const body = await boundedBody(request.body, maxBytes);
  return body && new URLSearchParams(new TextDecoder().decode(body));
}

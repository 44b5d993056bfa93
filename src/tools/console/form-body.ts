// The body of a form, read up to a bound.

import { boundedBody } from '../../core/bounded-body.js';

/** A record of 2 MiB comes as the form's base and as its JSON, percent-encoded. */
export const FORM_MAX_BYTES = 25 * 1_048_576;

/** Undefined where the body is longer than that, or is no form. */
export async function formOf(
  request: Request,
  maxBytes: number,
): Promise<URLSearchParams | undefined> {
  const type = request.headers.get('content-type') ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded')) return undefined;
  const body = await boundedBody(request.body, maxBytes);
  return body && new URLSearchParams(new TextDecoder().decode(body));
}

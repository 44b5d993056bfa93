// A request's body as text: "at most 1 MiB", whatever its Content-Type and
// Content-Length say. `core/domain/json.ts` checks later that it is one JSON object.

import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { REQUEST_BODY_MAX_BYTES } from '../domain/limits.js';
import type { ReadBody } from './host-bindings.js';

/** Strict: refuses invalid UTF-8, and keeps a byte order mark, which the parser then refuses. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** How many bytes the body may take in memory, according to the headers. */
export function bodyMaxBytes({ headers }: Pick<Request, 'headers'>): number {
  const length = headers.get('content-length');
  if (length === null || !/^[0-9]+$/.test(length)) return REQUEST_BODY_MAX_BYTES;
  return Math.min(Number(length), REQUEST_BODY_MAX_BYTES);
}

/** Decoding a larger body takes most of a millisecond, and many may arrive at once. */
const LARGE_BODY_BYTES = 65_536;

const TOO_LONG = `the body is longer than ${REQUEST_BODY_MAX_BYTES} bytes; send a smaller object`;

/** The whole body as text, or `INVALID_JSON`. Waits for a time slice before it decodes a large one. */
export async function readBodyText(
  read: ReadBody,
  yieldIfNeeded: () => Promise<void> | undefined = () => undefined,
): Promise<Outcome<string>> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await read(REQUEST_BODY_MAX_BYTES);
  } catch {
    return failed('INVALID_JSON', 'the request body ended early; send one complete JSON object');
  }
  if (bytes === undefined) return failed('INVALID_JSON', TOO_LONG);
  if (bytes.length === 0) return failed('INVALID_JSON', 'the body is empty; send one JSON object');
  if (bytes.length > LARGE_BODY_BYTES) await yieldIfNeeded();
  try {
    return succeeded(decoder.decode(bytes));
  } catch {
    return failed('INVALID_JSON', 'the body is not UTF-8; send one JSON object, not compressed');
  }
}

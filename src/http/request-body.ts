// A request's body: "exactly one JSON object, at most 1 MiB", whatever its
// Content-Type and Content-Length say.

import { boundedBody } from '../bounded-body.js';
import { failed, type Outcome } from '../domain/errors.js';
import { type JsonObject, parseJsonObject } from '../domain/json.js';
import { REQUEST_BODY_MAX_BYTES } from '../domain/limits.js';
import type { Pause } from '../records/turns.js';

/**
 * Reads a whole body of at most `maxBytes`; undefined where it is longer.
 * A host that has a quicker way than the request's stream passes its own.
 */
export type ReadBody = (maxBytes: number) => Promise<Uint8Array | undefined>;

/** What a host may add to a request. */
export interface HostBindings {
  /** A quicker way to the body than the request's stream. */
  readonly readBody?: ReadBody;
  /** Where the request came from, for the log. */
  readonly remoteAddress?: string | undefined;
}

/** To parse a larger one takes milliseconds, and so does what comes after: each has an event-loop turn of its own. */
const LARGE_BODY_BYTES = 65_536;

/** Strict: bad UTF-8 is refused, and a byte order mark stays, to be refused by the parser. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Pauses before and after a large body is parsed. */
export async function readJsonObject(read: ReadBody, pause: Pause): Promise<Outcome<JsonObject>> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await read(REQUEST_BODY_MAX_BYTES);
  } catch {
    return failed('INVALID_JSON', 'the body broke off; send one whole JSON object');
  }
  if (bytes === undefined) {
    return failed(
      'INVALID_JSON',
      `the body is longer than ${REQUEST_BODY_MAX_BYTES} bytes; send a smaller object`,
    );
  }
  if (bytes.length === 0) return failed('INVALID_JSON', 'the body is empty; send one JSON object');
  if (bytes.length <= LARGE_BODY_BYTES) return parsed(bytes);
  await pause();
  const outcome = parsed(bytes);
  await pause();
  return outcome;
}

function parsed(bytes: Uint8Array): Outcome<JsonObject> {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return failed('INVALID_JSON', 'the body is not valid UTF-8; send one JSON object in UTF-8');
  }
  return parseJsonObject(text);
}

/** Reads the request's own stream. */
export function streamReader(request: Request): ReadBody {
  return (maxBytes) => boundedBody(request.body, maxBytes);
}

// A request's body: "exactly one JSON object, at most 1 MiB", whatever its
// Content-Type and Content-Length say.

import { failed, type Outcome } from '../domain/errors.js';
import { type JsonObject, parseJsonObject } from '../domain/json.js';
import { REQUEST_BODY_MAX_BYTES } from '../domain/limits.js';

/**
 * Reads a whole body of at most `maxBytes`; undefined where it is longer.
 * A host that has a quicker way than the request's stream passes its own.
 */
export type ReadBody = (maxBytes: number) => Promise<Uint8Array | undefined>;

/** Strict: bad UTF-8 is refused, and a byte order mark stays, to be refused by the parser. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export async function readJsonObject(read: ReadBody): Promise<Outcome<JsonObject>> {
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
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return failed('INVALID_JSON', 'the body is not valid UTF-8; send one JSON object in UTF-8');
  }
  return parseJsonObject(text);
}

/** Reads the request's own stream, counting bytes as they come. */
export function streamReader(request: Request): ReadBody {
  return async (maxBytes) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of request.body ?? []) {
      length += chunk.byteLength;
      // Leaving the loop cancels the stream: nothing more is read.
      if (length > maxBytes) return undefined;
      chunks.push(chunk);
    }
    return joined(chunks, length);
  };
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}

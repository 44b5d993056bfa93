// A request's body as text: "at most 1 MiB", whatever its Content-Type and
// Content-Length say. `core/domain/json.ts` checks later that it is one JSON object.

import { failed, type Outcome, succeeded } from '../domain/errors.js';
import { REQUEST_BODY_MAX_BYTES } from '../domain/limits.js';

/**
 * Reads a whole body of at most `maxBytes`; undefined if it is longer.
 * A host with a quicker way than the request's stream passes its own reader.
 */
export type ReadBody = (maxBytes: number) => Promise<Uint8Array | undefined>;

/** Properties that a host may add to a request. */
export interface HostBindings {
  /** A quicker way to the body than the request's stream. */
  readonly readBody?: ReadBody;
  /** A quicker way than the request's signal to learn whether the client's connection is closed. */
  readonly isDisconnected?: () => boolean;
  /** The client's address, for the log. A function: with a getter, whose objects share no hidden class, a read took 1.6 times the time. */
  readonly remoteAddress?: () => string | undefined;
  /** The handler writes the pattern of the request's route and the answer's id here. */
  readonly exchange?: { route: string; requestId: string | undefined } | undefined;
}

/** Strict: refuses bad UTF-8, and keeps a byte order mark, which the parser then refuses. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The largest size in memory that the body may have, according to the headers. */
export function bodyMaxBytes({ headers }: Pick<Request, 'headers'>): number {
  const length = headers.get('content-length');
  if (length === null || !/^[0-9]+$/.test(length)) return REQUEST_BODY_MAX_BYTES;
  return Math.min(Number(length), REQUEST_BODY_MAX_BYTES);
}

/** Decoding a larger body takes a large part of a millisecond, and many may arrive at once. */
const LARGE_BODY_BYTES = 65_536;

const TOO_LONG = `the body is longer than ${REQUEST_BODY_MAX_BYTES} bytes; send a smaller object`;

/** The whole body as text; `INVALID_JSON` if it can't be one. Waits for a turn before it decodes a large one. */
export async function readBodyText(
  read: ReadBody,
  turn: () => Promise<void> | undefined = () => undefined,
): Promise<Outcome<string>> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await read(REQUEST_BODY_MAX_BYTES);
  } catch {
    return failed('INVALID_JSON', 'the request body ended early; send one complete JSON object');
  }
  if (bytes === undefined) return failed('INVALID_JSON', TOO_LONG);
  if (bytes.length === 0) return failed('INVALID_JSON', 'the body is empty; send one JSON object');
  if (bytes.length > LARGE_BODY_BYTES) await turn();
  try {
    return succeeded(decoder.decode(bytes));
  } catch {
    return failed('INVALID_JSON', 'the body is not UTF-8; send one JSON object, not compressed');
  }
}

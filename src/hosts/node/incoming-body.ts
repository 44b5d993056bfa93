// Reads a request's body from Node's stream, up to the contract's limit. This is several
// times quicker than the Web stream of a `Request`.

import type { IncomingMessage } from 'node:http';
import type { ReadBody } from '../../core/http/request-body.js';

/**
 * Bytes, or pieces, of one body in an event-loop turn; Node has up to 128 KiB more. Without it Node
 * reads 2 MiB of each connection in one turn: 16 large bodies held every other request up for 40 ms.
 */
const TURN_BYTES = 32_768;
const TURN_PIECES = 256;

export function incomingBody(incoming: IncomingMessage): ReadBody {
  return async (maxBytes) => {
    // Taken once: a kept-alive connection keeps its last request with its listeners.
    const whole = await wholeBody(incoming, maxBytes);
    const { bytes } = whole;
    whole.bytes = undefined;
    return bytes;
  };
}

/** Resolves at the end of the body, or without bytes as soon as the body is too long. */
function wholeBody(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<{ bytes?: Buffer | undefined }> {
  // The stream has ended already, so no event would settle the promise.
  if (incoming.destroyed) {
    return Promise.reject(new Error('the connection closed before the body was read'));
  }
  const whole: { bytes?: Buffer | undefined } = { bytes: Buffer.alloc(0) };
  let length = 0;
  let [turnBytes, turnPieces] = [0, 0];
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      turnBytes += chunk.length;
      if (turnBytes >= TURN_BYTES || ++turnPieces >= TURN_PIECES) {
        [turnBytes, turnPieces] = [0, 0];
        incoming.pause();
        setImmediate(() => incoming.resume());
      }
      if (whole.bytes !== undefined && length + chunk.length <= maxBytes) {
        whole.bytes = appended(whole.bytes, length, chunk, maxBytes);
        length += chunk.length;
        return;
      }
      // The rest is read and dropped until the request's time-out, so that the client can still read the answer.
      whole.bytes = undefined;
      resolve(whole);
    });
    incoming.on('end', () => {
      whole.bytes = whole.bytes?.subarray(0, length);
      resolve(whole);
    });
    incoming.on('error', reject);
    // Every request ends with `close`. The error is made only if the body is incomplete.
    incoming.on('close', () => {
      if (!incoming.readableEnded) reject(new Error('the connection closed before the body ended'));
    });
  });
}

/**
 * The first piece is nearly always the whole body. Further pieces are copied into one buffer, of
 * which `length` bytes are used: keeping pieces would cost about 400 bytes for each chunk of one byte.
 */
function appended(bytes: Buffer, length: number, chunk: Buffer, maxBytes: number): Buffer {
  if (length === 0) return chunk;
  const wanted = length + chunk.length;
  let whole = bytes;
  if (wanted > bytes.length) {
    whole = Buffer.allocUnsafe(Math.min(Math.max(wanted, 2 * bytes.length), maxBytes));
    bytes.copy(whole, 0, 0, length);
  }
  chunk.copy(whole, length);
  return whole;
}

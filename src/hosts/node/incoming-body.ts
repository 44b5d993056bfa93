// Reads a request's body from Node's stream, up to the contract's limit. This is several
// times quicker than the Web stream of a `Request`.

import type { IncomingMessage } from 'node:http';
import type { ReadBody } from '../../core/http/request-body.js';

/**
 * Bytes of one body in an event-loop turn; Node has up to 128 KiB more. Without it, Node reads 2 MiB
 * of each connection in one turn: 16 large bodies held every other request up for 40 ms.
 */
const TURN_BYTES = 32_768;
/** A smaller piece counts as this much: chunks of one byte from 16 connections held every other request up for 350 ms. */
const PIECE_MIN_BYTES = 128;

export function incomingBody(incoming: IncomingMessage): ReadBody {
  return async (maxBytes) => {
    let bytes: Buffer | undefined = Buffer.alloc(0);
    let length = 0;
    let turnBytes = 0;
    // Resolves at the end of the body, or as soon as it is too long.
    await new Promise<void>((resolve, reject) => {
      // No event would settle the promise.
      if (incoming.destroyed) throw new Error('the connection closed before the body was read');
      incoming.on('data', (chunk: Buffer) => {
        turnBytes += Math.max(chunk.length, PIECE_MIN_BYTES);
        if (turnBytes >= TURN_BYTES) {
          turnBytes = 0;
          incoming.pause();
          setImmediate(() => incoming.resume());
        }
        if (bytes === undefined || length + chunk.length > maxBytes) {
          // The rest is read and dropped until the request's time-out, so that the client can still read the answer.
          bytes = undefined;
          resolve();
          return;
        }
        bytes = length === 0 ? chunk : appended(bytes, length, chunk, maxBytes);
        length += chunk.length;
      });
      incoming.on('end', resolve);
      incoming.on('error', reject);
      // Every request ends with `close`. The error is made only if the body is incomplete.
      incoming.on('close', () => {
        if (!incoming.readableEnded)
          reject(new Error('the connection closed before the body ended'));
      });
    });
    const whole = bytes?.subarray(0, length);
    // A kept-alive connection keeps its last request with its listeners, and they keep this variable.
    bytes = undefined;
    return whole;
  };
}

/**
 * The first piece is nearly always the whole body. Further ones are copied into one buffer, of which
 * `length` bytes are used: keeping pieces would cost about 400 bytes for each chunk of one byte.
 */
function appended(buffer: Buffer, length: number, chunk: Buffer, maxBytes: number): Buffer {
  const wanted = length + chunk.length;
  let room = buffer;
  if (wanted > buffer.length) {
    room = Buffer.allocUnsafe(Math.min(Math.max(wanted, 2 * buffer.length), maxBytes));
    buffer.copy(room, 0, 0, length);
  }
  chunk.copy(room, length);
  return room;
}

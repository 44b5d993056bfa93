// Reads a request's body from Node's stream, up to the contract's limit. This is several
// times faster than the Web stream of a `Request`.

import type { IncomingMessage } from 'node:http';
import type { ReadBody } from '../../core/http/host-bindings.js';

/**
 * Bytes of one body per event-loop turn; Node buffers up to 128 KiB more. Without a limit, Node reads
 * 2 MiB of each connection per turn, and 16 large bodies delayed every other request by 40 ms.
 */
const TURN_BYTES = 32_768;
/** A smaller chunk counts as this many: chunks of one byte from 16 connections delayed every other request by 350 ms. */
const CHUNK_COST_MIN_BYTES = 128;

export function incomingBody(incoming: IncomingMessage): ReadBody {
  return async (maxBytes) => {
    let bytes: Buffer | undefined = Buffer.alloc(0);
    let length = 0;
    let turnBytes = 0;
    // Resolves at the end of the body, or as soon as it exceeds `maxBytes`.
    await new Promise<void>((resolve, reject) => {
      // A destroyed stream emits no more events that would settle the promise.
      if (incoming.destroyed) throw new Error('the connection closed before the body was read');
      incoming.on('data', (chunk: Buffer) => {
        turnBytes += Math.max(chunk.length, CHUNK_COST_MIN_BYTES);
        if (turnBytes >= TURN_BYTES) {
          turnBytes = 0;
          incoming.pause();
          setImmediate(() => incoming.resume());
        }
        if (bytes === undefined || length + chunk.length > maxBytes) {
          // The rest is read and discarded until the request's time-out, so that the client can read the response.
          bytes = undefined;
          resolve();
          return;
        }
        bytes = length === 0 ? chunk : appended(bytes, length, chunk, maxBytes);
        length += chunk.length;
      });
      incoming.on('end', resolve);
      incoming.on('error', reject);
      // Emitted after every request, so an error is only created for an incomplete body.
      incoming.on('close', () => {
        if (!incoming.readableEnded)
          reject(new Error('the connection closed before the body ended'));
      });
    });
    const whole = bytes?.subarray(0, length);
    // A kept-alive connection references its last request, whose listeners reference this variable.
    bytes = undefined;
    return whole;
  };
}

/**
 * The first chunk is nearly always the whole body. Further chunks are copied into one buffer, of which
 * `length` bytes are used: a list of chunks would cost about 400 bytes for each chunk of one byte.
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

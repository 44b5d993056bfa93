// Reads a request's body from Node's stream, up to the contract's limit. This is several
// times quicker than the Web stream of a `Request`.

import type { IncomingMessage } from 'node:http';
import type { ReadBody } from '../../core/http/request-body.js';

/**
 * Bytes, or pieces, of one body in an event-loop turn; Node has up to 128 KiB more. Without it, Node
 * reads 2 MiB of each connection in one turn: 16 large bodies held every other request up for 40 ms.
 */
const TURN_BYTES = 32_768;
const TURN_PIECES = 256;

/** `bytes` is undefined if the body is too long. */
type Whole = { bytes: Buffer | undefined };

export function incomingBody(incoming: IncomingMessage): ReadBody {
  return async (maxBytes) => {
    const whole: Whole = { bytes: Buffer.alloc(0) };
    await new Promise<void>((resolve, reject) => {
      // No event would settle the promise.
      if (incoming.destroyed) throw new Error('the connection closed before the body was read');
      read(incoming, whole, maxBytes, resolve);
      incoming.on('error', reject);
      // Every request ends with `close`. The error is made only if the body is incomplete.
      incoming.on('close', () => {
        if (!incoming.readableEnded)
          reject(new Error('the connection closed before the body ended'));
      });
    });
    // Taken once: a kept-alive connection keeps its last request with its listeners.
    const { bytes } = whole;
    whole.bytes = undefined;
    return bytes;
  };
}

/** Calls back at the end of the body, or as soon as it is too long. */
function read(incoming: IncomingMessage, whole: Whole, maxBytes: number, done: () => void): void {
  let length = 0;
  let [turnBytes, turnPieces] = [0, 0];
  incoming.on('data', (chunk: Buffer) => {
    turnBytes += chunk.length;
    if (turnBytes >= TURN_BYTES || ++turnPieces >= TURN_PIECES) {
      [turnBytes, turnPieces] = [0, 0];
      incoming.pause();
      setImmediate(() => incoming.resume());
    }
    const wanted = length + chunk.length;
    if (whole.bytes === undefined || wanted > maxBytes) {
      // The rest is read and dropped until the request's time-out, so that the client can still read the answer.
      whole.bytes = undefined;
      done();
      return;
    }
    // The first piece is nearly always the whole body. Further ones are copied into one buffer, of which
    // `length` bytes are used: keeping pieces would cost about 400 bytes for each chunk of one byte.
    if (length === 0) whole.bytes = chunk;
    else {
      if (wanted > whole.bytes.length) {
        const room = Math.min(Math.max(wanted, 2 * whole.bytes.length), maxBytes);
        const larger = Buffer.allocUnsafe(room);
        whole.bytes.copy(larger, 0, 0, length);
        whole.bytes = larger;
      }
      chunk.copy(whole.bytes, length);
    }
    length = wanted;
  });
  incoming.on('end', () => {
    whole.bytes = whole.bytes?.subarray(0, length);
    done();
  });
}

// Reads a request's body from Node's stream, up to the contract's limit. This is several
// times quicker than the Web stream of a `Request`.

import type { IncomingMessage } from 'node:http';
import type { ReadBody } from '../../core/http/request-body.js';

const NOTHING = Buffer.alloc(0);

/**
 * Bytes, or pieces, of one body in an event-loop turn; Node has up to 128 KiB more. Without it Node
 * reads 2 MiB of each connection in one turn: 16 large bodies held every other request up for 40 ms.
 */
const TURN_BYTES = 32_768;
const TURN_PIECES = 256;

export function incomingBody(incoming: IncomingMessage): ReadBody {
  return async (maxBytes) => (await wholeBody(incoming, maxBytes)).take();
}

/** A body that can be taken once. A kept-alive connection keeps its last request with its listeners, and these must not keep the body in memory. */
class Whole {
  bytes: Buffer | undefined = NOTHING;

  take(): Buffer | undefined {
    const { bytes } = this;
    this.bytes = undefined;
    return bytes;
  }
}

/** Resolves at the end of the body, or without bytes as soon as the body is too long. */
function wholeBody(incoming: IncomingMessage, maxBytes: number): Promise<Whole> {
  // The stream has ended already, so no event would settle the promise.
  if (incoming.destroyed) {
    return Promise.reject(new Error('the connection closed before the body was read'));
  }
  const whole = new Whole();
  return new Promise((resolve, reject) => {
    // The first piece is nearly always the whole body. Further pieces are copied into one buffer:
    // keeping pieces would cost about 400 bytes for each chunk of one byte.
    let length = 0;
    const rest = restAfterEachTurn(incoming);
    incoming.on('data', (chunk: Buffer) => {
      const start = length;
      length += chunk.length;
      rest(chunk.length);
      if (length > maxBytes) {
        // The rest is read and dropped until the request's time-out, so that the client can still read the answer.
        whole.bytes = undefined;
        resolve(whole);
        return;
      }
      if (start === 0 || whole.bytes === undefined) {
        whole.bytes = chunk;
        return;
      }
      if (length > whole.bytes.length) {
        const larger = Buffer.allocUnsafe(
          Math.min(Math.max(length, 2 * whole.bytes.length), maxBytes),
        );
        whole.bytes.copy(larger, 0, 0, start);
        whole.bytes = larger;
      }
      chunk.copy(whole.bytes, start);
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

/** Returns a function to call with the length of each piece: it lets the stream rest until the next turn. */
function restAfterEachTurn(incoming: IncomingMessage): (bytes: number) => void {
  let [bytes, pieces] = [0, 0];
  return (more) => {
    bytes += more;
    if (bytes < TURN_BYTES && ++pieces < TURN_PIECES) return;
    [bytes, pieces] = [0, 0];
    incoming.pause();
    setImmediate(() => incoming.resume());
  };
}

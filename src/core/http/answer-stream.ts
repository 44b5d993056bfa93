// The bodies of long responses: made and encoded piece by piece as the client reads, within the
// account's time slices and the bytes that it may hold.

import type { Admission } from '../admission/admission.js';
import type { FairScheduler, IsDisconnected } from '../admission/fair-scheduler.js';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../domain/limits.js';
import { cutPoint } from '../domain/search.js';

/** Above this many characters a response is sent in pieces, so that a slow reader holds little memory. */
export const LONG_ANSWER_CHARACTERS = 65_536;
const PIECE_CHARACTERS = 65_536;
/** Of one UTF-16 code unit, at most. */
const UTF8_MAX_BYTES = 3;
/** One piece is made while another is written to the connection. */
const HELD_BYTES = 2 * PIECE_CHARACTERS * UTF8_MAX_BYTES;
/** No piece is made before the client asks for it: an unread body holds nothing. */
const ON_DEMAND = { highWaterMark: 0 };

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The body of a response whose text comes in pieces. */
export type StreamAnswer = (pieces: AsyncGenerator<string>) => Body;

const encoder = new TextEncoder();

/** Makes the bodies of the accounts' long responses. */
export function answerStreams(scheduler: FairScheduler, admission: Admission) {
  return (
    pieces: AsyncGenerator<string>,
    account: string,
    isDisconnected: IsDisconnected,
  ): Body => {
    let isCancelled = false;
    const unread = new AbortController();
    const isOver = () => isCancelled || isDisconnected();

    async function* encoded(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
      await admission.acquire(account, HELD_BYTES, isOver);
      const deadline = setTimeout(() => unread.abort(), RESPONSE_WRITE_TIMEOUT_MS);
      try {
        for await (const piece of evenPieces(pieces)) {
          await scheduler.yieldIfNeeded(account, isOver);
          yield encoder.encode(piece);
        }
      } finally {
        clearTimeout(deadline);
        admission.release(account, HELD_BYTES);
      }
    }

    const source = encoded();
    return new ReadableStream(
      {
        // "Response write time-out 15 seconds." Workers may not cancel the body if the client has gone.
        start(controller) {
          unread.signal.addEventListener('abort', () => {
            isCancelled = true;
            void source.return();
            controller.error(new Error('the response was not read in time'));
          });
        },
        async pull(controller) {
          const { done, value } = await source.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        // Releases the records whose texts were to be sent.
        async cancel() {
          isCancelled = true;
          await source.return();
        },
      },
      ON_DEMAND,
    );
  };
}

/**
 * Short texts gathered and long ones cut. A long text is never joined to another: that would be a
 * copy of it for every reader.
 */
async function* evenPieces(texts: AsyncGenerator<string>): AsyncGenerator<string, void, void> {
  let gathered = '';
  for await (const text of texts) {
    if (gathered.length + text.length <= PIECE_CHARACTERS) {
      gathered += text;
      continue;
    }
    if (gathered !== '') yield gathered;
    let start = 0;
    while (text.length - start > PIECE_CHARACTERS) {
      const end = cutPoint(text, start + PIECE_CHARACTERS);
      yield text.slice(start, end);
      start = end;
    }
    gathered = text.slice(start);
  }
  yield gathered;
}

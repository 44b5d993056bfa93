// The bodies of long answers: made and encoded piece by piece as the client
// reads, within the account's slices and the bytes that it may hold.

import type { Admission } from '../admission/admission.js';
import type { FairScheduler, IsDisconnected } from '../admission/fair-scheduler.js';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../domain/limits.js';
import { cutPoint } from '../domain/search.js';

/** Above this many characters an answer is sent in pieces, so that a slow reader holds little memory. */
export const LONG_ANSWER_CHARACTERS = 65_536;
const PIECE_CHARACTERS = 65_536;
/** Of one UTF-16 code unit, at most. */
const UTF8_MAX_BYTES = 3;
/** One piece is made while another is written to the connection. */
const HELD_BYTES = 2 * PIECE_CHARACTERS * UTF8_MAX_BYTES;
/** No piece is made before the client asks for it: an unread body holds nothing. */
const ON_DEMAND = { highWaterMark: 0 };

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The body of an answer whose text comes in pieces. */
export type StreamAnswer = (pieces: AsyncGenerator<string>) => Body;

const encoder = new TextEncoder();

/** Makes the bodies of the accounts' answers. */
export function answerStreams(scheduler: FairScheduler, admission: Admission) {
  return (
    pieces: AsyncGenerator<string>,
    account: string,
    isDisconnected: IsDisconnected,
  ): Body => {
    const source = evenPieces(pieces);
    let state: 'new' | 'held' | 'ended' = 'new';
    let deadline: ReturnType<typeof setTimeout> | undefined;

    function end(): void {
      clearTimeout(deadline);
      if (state === 'held') admission.end(account, HELD_BYTES);
      state = 'ended';
    }

    /** Cancelled while it waited, or never to be read. */
    const isOver = () => state === 'ended' || isDisconnected();

    return new ReadableStream(
      {
        async pull(controller) {
          try {
            if (state === 'new') {
              await admission.begin(account, HELD_BYTES, isOver);
              if (state !== 'new') {
                admission.end(account, HELD_BYTES);
                return;
              }
              state = 'held';
              // "Response write time-out 15 seconds." Workers may not cancel the body if the client has gone.
              deadline = setTimeout(() => {
                end();
                void source.return();
                controller.error(new Error('the response was not read in time'));
              }, RESPONSE_WRITE_TIMEOUT_MS);
            }
            if (scheduler.sliceUsed()) await scheduler.yield(account, isOver);
            const { done, value } = await source.next();
            if (!done) {
              controller.enqueue(encoder.encode(value));
              return;
            }
            end();
            controller.close();
          } catch (error) {
            end();
            throw error;
          }
        },
        // Releases the records whose texts were to be sent.
        async cancel() {
          end();
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

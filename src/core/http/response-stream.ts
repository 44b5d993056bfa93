// The bodies of long responses, generated and encoded piece by piece as the client reads, within the
// account's time slices and memory limit.

import type { Admission } from '../admission/admission.js';
import type { IsDisconnected } from '../admission/fair-queue.js';
import type { FairScheduler } from '../admission/fair-scheduler.js';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../domain/limits.js';
import { cutPoint } from '../domain/search.js';

/** A longer response is sent in pieces of at most this, so that a slow reader holds little memory. */
export const PIECE_CHARACTERS = 65_536;
/** One piece is made while another is written; a character is at most three bytes of UTF-8. */
const HELD_BYTES = 2 * PIECE_CHARACTERS * 3;

const encoder = new TextEncoder();

/** The request whose account provides the time slices and memory of a stream. */
export interface ChargedRequest {
  /** Empty for the operator. */
  readonly account: string;
  readonly isDisconnected: IsDisconnected;
  readonly dependencies: { readonly scheduler: FairScheduler; readonly admission: Admission };
}

/** The body of a response whose text comes in pieces. A body that isn't read holds no memory. */
export function responseStream(
  pieces: AsyncGenerator<string>,
  { account, isDisconnected, dependencies: { scheduler, admission } }: ChargedRequest,
) {
  let isCancelled = false;
  const isOver = () => isCancelled || isDisconnected();
  let stopUnread = () => {};

  async function* encoded() {
    await admission.acquire(account, HELD_BYTES, isOver);
    const deadline = setTimeout(() => stopUnread(), RESPONSE_WRITE_TIMEOUT_MS);
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
  // Releases the records that were still to be sent.
  const cancel = async () => {
    isCancelled = true;
    await source.return();
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      // "Response write time-out 15 seconds." Workers may not cancel the body if the client disconnects.
      start(controller) {
        stopUnread = () => {
          void cancel();
          controller.error(new Error('the response was not read in time'));
        };
      },
      async pull(controller) {
        const { done, value } = await source.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel,
    },
    // Without this, a piece would be generated before the client reads.
    { highWaterMark: 0 },
  );
}

/** Gathers short texts and cuts long ones. Never joins a long text to another, which would copy it for every reader. */
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

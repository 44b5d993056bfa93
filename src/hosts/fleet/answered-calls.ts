// The calls that another process makes on one connection, and the replies to them.

import type { Duplex } from 'node:stream';
import { failureIn } from '../../core/domain/errors.js';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../../core/domain/limits.js';
import { areTexts, type Rows } from '../../core/domain/listing.js';
import { evenPieces, LONG_ANSWER_CHARACTERS } from '../../core/http/answer-stream.js';
import { isLongText, rowPieces } from '../../core/http/envelope.js';
import { failureReply, type Reply, type SentCall } from './account-call.js';
import { type Frame, Frames } from './frames.js';
import { ASK, REPLY } from './internal-call.js';

/** Resolves with undefined where this process does not hold the account, so nothing was done. */
export type Answer = (call: SentCall, body: string) => Promise<Reply | undefined>;

interface PartedReply {
  readonly pieces: AsyncGenerator<string>;
  unread?: NodeJS.Timeout;
}

export interface AnsweredCallsOptions {
  readonly answer: Answer;
  readonly onError: (error: unknown) => void;
}

export class AnsweredCalls {
  readonly #options: AnsweredCallsOptions;
  readonly #frames: Frames;
  /** Replies of which a part may still be wanted, by call. */
  readonly #parted = new Map<number, PartedReply>();

  /** `first`: bytes that had come before. */
  constructor(socket: Duplex, first: Buffer, options: AnsweredCallsOptions) {
    this.#options = options;
    this.#frames = new Frames(socket, first, (frame) => this.#take(frame));
    socket.on('close', () => {
      for (const call of this.#parted.keys()) this.#drop(call);
    });
  }

  #take({ kind, call, text }: Frame): void {
    if (kind === ASK.ping) this.#send(REPLY.pong, call);
    else if (kind === ASK.end) this.#drop(call);
    else {
      const replied = kind === ASK.call ? this.#reply(call, text) : this.#nextPart(call);
      replied.catch((error) => {
        this.#options.onError(error);
        this.#drop(call);
        this.#send(REPLY.failed, call);
      });
    }
  }

  async #reply(call: number, text: string): Promise<void> {
    const lineEnd = text.indexOf('\n');
    const sent = JSON.parse(text.slice(0, lineEnd)) as SentCall;
    const reply = await this.#replyTo(sent, text.slice(lineEnd + 1));
    if (reply === undefined) {
      this.#send(REPLY.notTheHolder, call);
      return;
    }
    const { head, rows } = reply;
    const line = `${JSON.stringify(head)}\n`;
    const whole = wholeTextOf(rows);
    if (whole !== undefined) this.#send(REPLY.last, call, line + whole);
    else await this.#sendPart(call, { pieces: evenPieces(rowPieces(rows)) }, line);
  }

  async #replyTo(sent: SentCall, body: string): Promise<Reply | undefined> {
    try {
      return await this.#options.answer(sent, body);
    } catch (error) {
      const failure = failureIn(error);
      if (failure === undefined) throw error;
      return failureReply(failure);
    }
  }

  async #nextPart(call: number): Promise<void> {
    const reply = this.#parted.get(call);
    if (reply === undefined) this.#send(REPLY.failed, call);
    else await this.#sendPart(call, reply, '');
  }

  /** `text`: what comes before the next piece. */
  async #sendPart(call: number, reply: PartedReply, text: string): Promise<void> {
    clearTimeout(reply.unread);
    this.#parted.set(call, reply);
    let part = text;
    for (;;) {
      const { done, value } = await reply.pieces.next();
      if (done) {
        this.#parted.delete(call);
        this.#send(REPLY.last, call, part);
        return;
      }
      part += value;
      if (part.length >= LONG_ANSWER_CHARACTERS) break;
    }
    // The caller has gone meanwhile.
    if (this.#parted.get(call) !== reply) return;
    // The front resets the connection of a client that takes longer for the whole answer.
    reply.unread = setTimeout(() => this.#drop(call), RESPONSE_WRITE_TIMEOUT_MS);
    this.#send(REPLY.part, call, part);
  }

  #send(kind: number, call: number, text = ''): void {
    this.#frames.send({ kind, call, text });
  }

  /** Lets go of the records whose texts were to be sent. */
  #drop(call: number): void {
    const reply = this.#parted.get(call);
    this.#parted.delete(call);
    clearTimeout(reply?.unread);
    reply?.pieces.return(undefined).catch(() => {});
  }
}

/** One record's text is never cut: it is as long as a body at most. */
function wholeTextOf(rows: Rows): string | undefined {
  return areTexts(rows) && (rows.length <= 1 || !isLongText(rows)) ? rows.join(',') : undefined;
}

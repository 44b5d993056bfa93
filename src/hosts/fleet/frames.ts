// Frames on a connection between two processes: the length of the text in bytes, the kind, the
// number of the call, then the text in UTF-8.

import type { Duplex } from 'node:stream';

const KIND_AT = 4;
const CALL_AT = 5;
const TEXT_AT = 9;
/** A body of 1 MiB with what stands before it; a reply is shorter, or comes in parts. */
const TEXT_MAX_BYTES = 4 * 1_048_576;

export interface Frame {
  /** 0 to 255. */
  readonly kind: number;
  /** 0 to 2^32 - 1. */
  readonly call: number;
  readonly text: string;
}

export class Frames {
  readonly #socket: Duplex;
  readonly #onFrame: (frame: Frame) => void;
  /** What has come of frames that are not whole yet. */
  #chunks: Buffer[] = [];
  #length = 0;
  #wanted = TEXT_AT;
  #isGathering = false;

  /** `first`: bytes that had come before. A text that is too long ends the connection. */
  constructor(socket: Duplex, first: Buffer, onFrame: (frame: Frame) => void) {
    this.#socket = socket;
    this.#onFrame = onFrame;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    if (first.length > 0) socket.unshift(first);
  }

  /** Does nothing where the connection has ended. */
  send(kind: number, call: number, text = ''): void {
    if (this.#socket.destroyed) return;
    this.#gather();
    const length = Buffer.byteLength(text);
    const frame = Buffer.allocUnsafe(TEXT_AT + length);
    frame.writeUInt32BE(length, 0);
    frame.writeUInt8(kind, KIND_AT);
    frame.writeUInt32BE(call, CALL_AT);
    frame.write(text, TEXT_AT);
    this.#socket.write(frame);
  }

  /** The frames of one turn of the loop go out in one write. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#socket.cork();
    setImmediate(() => {
      this.#isGathering = false;
      this.#socket.uncork();
    });
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#wanted) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const rest = bytes.subarray(this.#giveWhole(bytes));
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
  }

  /** Gives the frames that are whole. Returns where the first other one begins. */
  #giveWhole(bytes: Buffer): number {
    let at = 0;
    for (;;) {
      this.#wanted = TEXT_AT;
      if (bytes.length - at < TEXT_AT) return at;
      const length = bytes.readUInt32BE(at);
      if (length > TEXT_MAX_BYTES) {
        this.#socket.destroy(new Error(`a frame of ${length} bytes is longer than any call`));
        return bytes.length;
      }
      this.#wanted += length;
      if (bytes.length - at < this.#wanted) return at;
      const [start, end] = [at + TEXT_AT, at + this.#wanted];
      this.#onFrame({
        kind: bytes.readUInt8(at + KIND_AT),
        call: bytes.readUInt32BE(at + CALL_AT),
        text: bytes.toString('utf8', start, end),
      });
      at = end;
    }
  }
}

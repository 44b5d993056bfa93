// Frames on a connection between two processes: the length of the text in bytes, the kind, the
// number of the call, then the text in UTF-8.

import type { Duplex } from 'node:stream';

const KIND_AT = 4;
const CALL_AT = 5;
const TEXT_AT = 9;
/** A record is below 5 MiB, even where a body of 1 MiB has nothing but numbers such as 1e20; a list comes in parts. */
const TEXT_MAX_BYTES = 16 * 1_048_576;

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
  #unsent: Frame[] = [];

  /** `first`: bytes that had come before. A text that is too long ends the connection. */
  constructor(socket: Duplex, first: Buffer, onFrame: (frame: Frame) => void) {
    this.#socket = socket;
    this.#onFrame = onFrame;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    if (first.length > 0) socket.unshift(first);
  }

  /** The frames of one turn of the loop go out together, at its end. */
  send(frame: Frame): void {
    if (this.#unsent.push(frame) === 1) setImmediate(() => this.#sendAll());
  }

  /** What no byte has left of, and what will not be sent once the connection has ended. */
  get unsent(): readonly Frame[] {
    return this.#unsent;
  }

  #sendAll(): void {
    if (this.#socket.destroyed) return;
    this.#socket.cork();
    for (const frame of this.#unsent) this.#socket.write(bytesOf(frame));
    this.#socket.uncork();
    this.#unsent = [];
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

function bytesOf({ kind, call, text }: Frame): Buffer {
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(TEXT_AT + length);
  bytes.writeUInt32BE(length, 0);
  bytes.writeUInt8(kind, KIND_AT);
  bytes.writeUInt32BE(call, CALL_AT);
  bytes.write(text, TEXT_AT);
  return bytes;
}

// One file of a copy while it is made: lines in memory, put into the bucket at once.

import type { R2Bucket } from '@cloudflare/workers-types';
import { type CopiedFile, keyOf, type Stretch } from './copy-format.js';

/** A Worker has 128 MB, which hold a file twice: its lines, and their bytes when it is put. */
export const FILE_MAX_BYTES = 8_000_000;
/** This many characters are encoded together, because each encoding costs the same. */
const PIECE_CHARACTERS = 65_536;

export class CopyFile {
  readonly #encoder = new TextEncoder();
  readonly name: string;
  readonly #content: CopiedFile['content'];
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #pending = '';
  #records = 0;
  #bytes = 0;
  #stretch = 0;

  /** The name has a random part: if two invocations make the same file by mistake, the two have different names. */
  constructor(content: CopiedFile['content'], number: number) {
    const mark = crypto.randomUUID().slice(0, 8);
    this.name = `${content}-${String(number).padStart(5, '0')}-${mark}.ndjson`;
    this.#content = content;
  }

  add(line: string): void {
    this.#pending += `${line}\n`;
    this.#records++;
    if (this.#pending.length >= PIECE_CHARACTERS) this.#encode();
  }

  get bytes(): number {
    this.#encode();
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= FILE_MAX_BYTES;
  }

  /** The lines that were added since the last call. */
  stretch(): Stretch {
    const [offset, end] = [this.#stretch, this.bytes];
    this.#stretch = end;
    return { file: this.name, offset, bytes: end - offset };
  }

  /** Resolves when the bucket has it. */
  async put(bucket: R2Bucket, copy: string): Promise<CopiedFile> {
    const whole = new Uint8Array(this.bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    const digest = await crypto.subtle.digest('SHA-256', whole);
    // The bucket refuses bytes of another hash.
    await bucket.put(keyOf(copy, this.name), whole, { sha256: digest });
    const sha256 = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
    const [name, content, records, bytes] = [this.name, this.#content, this.#records, this.#bytes];
    return { name, content, records, bytes, sha256: sha256.join('') };
  }

  #encode(): void {
    if (this.#pending === '') return;
    const piece = this.#encoder.encode(this.#pending);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#pending = '';
  }
}

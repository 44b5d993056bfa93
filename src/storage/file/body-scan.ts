// Scans the UTF-8 bytes of a stored body once, for the owner, id and status. A start needs these
// three of every record, and parsing a record takes several times longer than scanning it.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const ASCII_MAX = 0x7f;

const ID = Buffer.from('id');
const OWNER = Buffer.from('owner_sub');
const STATUS = Buffer.from('status');

/** Where a text stands in the bytes, without its quotation marks. */
interface Span {
  start: number;
  end: number;
}

/** One scanner serves all bodies of a page, so that no object is made for each. */
export class BodyScan {
  readonly #bytes: Uint8Array;
  /** The bits of all bytes so far, combined by OR. */
  #bits = 0;
  #hasEscape = false;
  readonly id: Span = { start: -1, end: -1 };
  readonly owner: Span = { start: -1, end: -1 };
  /** `start` is -1 if the body has no such property. */
  readonly status: Span = { start: -1, end: -1 };

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Places in the last body for which `finds` returned true. */
  get isAscii(): boolean {
    return this.#bits <= ASCII_MAX;
  }

  /**
   * Whether it found the same as parsing would. False if the body must be parsed: it has
   * spaces between its parts, one of these properties twice, with an escape, missing or no text.
   */
  finds(start: number, end: number): boolean {
    const bytes = this.#bytes;
    this.#bits = 0;
    this.id.start = this.owner.start = this.status.start = -1;
    if (bytes[start] !== OPEN_OBJECT) return false;
    for (let at = start; ; ) {
      const name = at + 2;
      if (bytes[at + 1] !== QUOTE) return false;
      this.#hasEscape = false;
      const nameEnd = this.#textEnd(name, end);
      // A name with an escape may be any of the three.
      if (this.#hasEscape || bytes[nameEnd + 1] !== COLON) return false;
      const value = nameEnd + 2;
      at = this.#valueEnd(value, end);
      const span = this.#spanOf(name, nameEnd);
      if (span !== undefined) {
        const isText = bytes[value] === QUOTE && bytes[at - 1] === QUOTE && at - value > 1;
        if (span.start !== -1 || !isText || this.#hasEscape) return false;
        span.start = value + 1;
        span.end = at - 1;
      }
      if (bytes[at] === COMMA && at < end) continue;
      const isWhole = bytes[at] === CLOSE_OBJECT && at + 1 === end;
      // An empty owner counts as no owner.
      const hasOwner = this.owner.start !== -1 && this.owner.end > this.owner.start;
      return isWhole && hasOwner && this.id.start !== -1;
    }
  }

  /** The place of a text's closing quotation mark; `end` if it has none. */
  #textEnd(start: number, end: number): number {
    const bytes = this.#bytes;
    let [at, bits] = [start, 0];
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) break;
      bits |= byte;
      if (byte !== BACKSLASH) continue;
      this.#hasEscape = true;
      at++;
    }
    this.#bits |= bits;
    return at;
  }

  /** The place behind a value. Sets `hasEscape` if a text in it has an escape. */
  #valueEnd(start: number, end: number): number {
    const bytes = this.#bytes;
    let depth = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) at = this.#textEnd(at + 1, end);
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
      else if (depth > 0 && (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY)) depth--;
      else if (depth === 0 && (byte === COMMA || byte === CLOSE_OBJECT)) return at;
    }
    return end;
  }

  /** Undefined for a name that memory does not need. */
  #spanOf(start: number, end: number): Span | undefined {
    if (end - start === ID.length && this.#is(ID, start)) return this.id;
    if (end - start === OWNER.length && this.#is(OWNER, start)) return this.owner;
    if (end - start === STATUS.length && this.#is(STATUS, start)) return this.status;
    return undefined;
  }

  #is(name: Uint8Array, start: number): boolean {
    for (let i = 0; i < name.length; i++) if (this.#bytes[start + i] !== name[i]) return false;
    return true;
  }
}

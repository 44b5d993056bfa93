// Scans the UTF-8 bytes of a stored body once, for the owner, id and status. A start needs these
// three of every record, and parsing a record takes several times longer than scanning it. The
// scan also checks that the body is JSON (RFC 8259), so that a start refuses a damaged one.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
/** Makes a capital letter small. */
const SMALL = 0x20;
const ASCII_MAX = 0x7f;
/** The first byte that may stand in a text as it is. */
const SPACE = 0x20;
/** Of each byte, whether it is ASCII and stands in a text for itself: a look here is all that most bytes take. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= SPACE && byte <= ASCII_MAX && byte !== QUOTE && byte !== BACKSLASH),
);

const ID = Buffer.from('id');
const OWNER = Buffer.from('owner_sub');
const STATUS = Buffer.from('status');

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL = Buffer.from('null');
const ESCAPED = new Set(Buffer.from('"\\/bfnrtu'));
const HEX = new Set(Buffer.from('0123456789abcdefABCDEF'));
const HEX_DIGITS = 4;

/** In place of the end of what is no JSON, or goes beyond the body. */
const NONE = -1;
/** What is nested deeper is left to the parser. */
const DEPTH_MAX = 32;

/** Where a text stands in the bytes, without its quotation marks. */
interface Span {
  start: number;
  end: number;
}

/** One scanner serves all bodies of a page, so that no object is made for each. */
export class BodyScan {
  readonly #bytes: Uint8Array;
  #isAscii = true;
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
    return this.#isAscii;
  }

  /**
   * Whether it found the same as parsing would. False if the body must be parsed: it is no JSON,
   * has spaces between its parts, one of these properties twice, with an escape, missing or no text.
   */
  finds(start: number, end: number): boolean {
    const bytes = this.#bytes;
    this.#isAscii = true;
    this.id.start = this.owner.start = this.status.start = -1;
    if (bytes[start] !== OPEN_OBJECT) return false;
    for (let at = start; ; ) {
      const name = at + 2;
      if (bytes[at + 1] !== QUOTE) return false;
      this.#hasEscape = false;
      const nameEnd = this.#textEnd(name, end);
      // A name with an escape may be any of the three.
      if (nameEnd === NONE || this.#hasEscape || bytes[nameEnd + 1] !== COLON) return false;
      const value = nameEnd + 2;
      at = this.#valueEnd(value, end, 0);
      if (at === NONE) return false;
      const span = this.#spanOf(name, nameEnd);
      if (span !== undefined) {
        if (span.start !== -1 || bytes[value] !== QUOTE || this.#hasEscape) return false;
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

  /** The place of a text's closing quotation mark. Sets `hasEscape`. */
  #textEnd(start: number, end: number): number {
    const bytes = this.#bytes;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (PLAIN[byte] === 1) continue;
      if (byte === QUOTE) return at;
      if (byte > ASCII_MAX) this.#isAscii = false;
      else if (byte !== BACKSLASH) return NONE;
      else {
        this.#hasEscape = true;
        at++;
        if (!this.#isEscape(at)) return NONE;
      }
    }
    return NONE;
  }

  /** `at`: behind the backslash. */
  #isEscape(at: number): boolean {
    const bytes = this.#bytes;
    if (!ESCAPED.has(bytes[at] ?? 0)) return false;
    if (bytes[at] !== LETTER_U) return true;
    for (let i = 1; i <= HEX_DIGITS; i++) if (!HEX.has(bytes[at + i] ?? 0)) return false;
    return true;
  }

  /** The place behind a value. Sets `hasEscape` if a text in it has an escape. */
  #valueEnd(start: number, end: number, depth: number): number {
    switch (this.#bytes[start]) {
      case QUOTE: {
        const close = this.#textEnd(start + 1, end);
        return close === NONE ? NONE : close + 1;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        return depth === DEPTH_MAX ? NONE : this.#nestedEnd(start, end, depth + 1);
      case TRUE[0]:
        return this.#wordEnd(TRUE, start);
      case FALSE[0]:
        return this.#wordEnd(FALSE, start);
      case NULL[0]:
        return this.#wordEnd(NULL, start);
      default:
        return this.#numberEnd(start);
    }
  }

  /** Of an object or array: the place behind its bracket. */
  #nestedEnd(start: number, end: number, depth: number): number {
    const bytes = this.#bytes;
    const isObject = bytes[start] === OPEN_OBJECT;
    const close = isObject ? CLOSE_OBJECT : CLOSE_ARRAY;
    let at = start + 1;
    if (bytes[at] === close) return at + 1;
    for (;;) {
      if (isObject) {
        if (bytes[at] !== QUOTE) return NONE;
        at = this.#textEnd(at + 1, end);
        if (at === NONE || bytes[at + 1] !== COLON) return NONE;
        at += 2;
      }
      at = this.#valueEnd(at, end, depth);
      if (at === NONE || at >= end) return NONE;
      if (bytes[at] === close) return at + 1;
      if (bytes[at] !== COMMA) return NONE;
      at++;
    }
  }

  #wordEnd(word: Uint8Array, start: number): number {
    return this.#is(word, start) ? start + word.length : NONE;
  }

  #numberEnd(start: number): number {
    const bytes = this.#bytes;
    const first = bytes[start] === MINUS ? start + 1 : start;
    let at = bytes[first] === ZERO ? first + 1 : this.#digitsEnd(first);
    if (at !== NONE && bytes[at] === DOT) at = this.#digitsEnd(at + 1);
    if (at === NONE || ((bytes[at] ?? 0) | SMALL) !== LETTER_E) return at;
    const sign = bytes[at + 1];
    return this.#digitsEnd(sign === PLUS || sign === MINUS ? at + 2 : at + 1);
  }

  /** At least one. */
  #digitsEnd(start: number): number {
    const bytes = this.#bytes;
    let at = start;
    for (; ; at++) {
      const byte = bytes[at] ?? 0;
      if (byte < ZERO || byte > NINE) return at === start ? NONE : at;
    }
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

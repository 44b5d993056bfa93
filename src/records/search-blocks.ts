// The texts of the lists that were searched lately, lower-cased and joined to
// blocks, so that the next search reads memory in a row. Lower-casing every
// record and fetching it from its own place costs several times the search.
//
// No change is reported to a block. A block knows the records it was made of,
// records are never changed in place, and a block is used only for exactly
// these records. Comparing them costs a small part of searching them, and
// nothing where the list has not changed.

import { caseFolded, type Needle, WINDOW_CHARACTERS } from '../domain/search.js';
import type { MemoryRecord } from './memory-record.js';

/** Enough that a call per block costs next to nothing, few enough that a changed record is soon folded again. */
const BLOCK_RECORDS = 128;
/** A longer block would take more than a slice to fold: its records are searched one by one and not kept. */
const BLOCK_MAX_CHARACTERS = 128 * 1024;
/** All lists together. A character is one byte of memory, or two in a block with letters beyond Latin-1. */
const KEPT_MAX_CHARACTERS = 32_000_000;
/** JSON escapes U+0000, so the text between two of them is within one record. */
export const BORDER = '\0';

/** A part of a list to be searched. */
export interface Searchable {
  /** The records that hold the needle, newest first; undefined after each window without one, where a slice may end. */
  matches(needle: Needle): Iterable<MemoryRecord | undefined>;
}

/** Consecutive records of a list. */
class Block implements Searchable {
  /** The list, oldest first, as it was when last compared: all blocks of a list share one array. */
  #list: readonly MemoryRecord[];
  readonly #start: number;
  /** Where each record's text begins in `text`. */
  readonly #offsets: Int32Array;
  readonly #text: string;

  constructor(list: readonly MemoryRecord[], start: number, end: number) {
    this.#list = list;
    this.#start = start;
    this.#offsets = new Int32Array(end - start);
    const texts: string[] = [];
    let offset = 0;
    for (let i = 0; i < end - start; i++) {
      const text = caseFolded(list[start + i]?.text ?? '');
      texts.push(text);
      this.#offsets[i] = offset;
      offset += text.length + BORDER.length;
    }
    this.#text = texts.join(BORDER);
  }

  get characters(): number {
    return this.#text.length;
  }

  /** Whether this block is of the records from its start to `end` in this list, too. */
  isOf(list: readonly MemoryRecord[], end: number): boolean {
    if (this.#offsets.length !== end - this.#start) return false;
    if (this.#list === list) return true;
    for (let i = this.#start; i < end; i++) if (this.#list[i] !== list[i]) return false;
    // Lets go of the older array.
    this.#list = list;
    return true;
  }

  *matches(needle: Needle): Generator<MemoryRecord | undefined> {
    const found: MemoryRecord[] = [];
    for (let from = 0; from < this.#text.length; ) {
      const windowEnd = from + WINDOW_CHARACTERS;
      const at = needle.indexIn(this.#text, from, windowEnd + needle.length - 1);
      if (at === -1) {
        from = windowEnd;
        yield undefined;
        continue;
      }
      const index = this.#indexAt(at);
      const record = this.#list[this.#start + index];
      if (record !== undefined) found.push(record);
      from = this.#offsets[index + 1] ?? this.#text.length;
    }
    yield* found.reverse();
  }

  /** The record whose text holds this character: binary search for the last offset that is not beyond it. */
  #indexAt(character: number): number {
    let low = 0;
    let high = this.#offsets.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#offsets[middle] ?? 0) <= character) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** One record that is too long for a block. */
class LongRecord implements Searchable {
  readonly #record: MemoryRecord;

  constructor(record: MemoryRecord) {
    this.#record = record;
  }

  *matches(needle: Needle): Generator<MemoryRecord | undefined> {
    for (const found of needle.search(this.#record.text)) yield found ? this.#record : undefined;
  }
}

/** Blocks of a list, by number: each has the next `BLOCK_RECORDS` records, counted from the oldest. */
type Blocks = (Block | undefined)[];

export class SearchBlocks {
  readonly #maxCharacters: number;
  /** By name of the list; the one searched longest ago is the first. */
  readonly #lists = new Map<string, Blocks>();
  #characters = 0;

  constructor(maxCharacters = KEPT_MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  /** How many records were lower-cased so far, which costs more than searching them. */
  foldedRecords = 0;

  /** The kept blocks' size in characters. */
  get characters(): number {
    return this.#characters;
  }

  /**
   * The list in blocks, newest first, each record in exactly one. `list` must
   * never change, its next state is another array; other searches, of this
   * list too, may go on meanwhile.
   */
  *parts(name: string, list: readonly MemoryRecord[]): Generator<Searchable> {
    const count = Math.ceil(list.length / BLOCK_RECORDS);
    // A short list is folded quickly, and short lists can be very many, so none is kept.
    const worthKeeping = list.length >= BLOCK_RECORDS;
    this.#searched(name, worthKeeping ? count : 0);
    for (let number = count - 1; number >= 0; number--) {
      const start = number * BLOCK_RECORDS;
      const end = Math.min(start + BLOCK_RECORDS, list.length);
      const kept = this.#lists.get(name)?.[number];
      if (kept?.isOf(list, end)) {
        yield kept;
        continue;
      }
      if (kept !== undefined) this.#drop(name, number);
      if (charactersOf(list, start, end) <= BLOCK_MAX_CHARACTERS) {
        const block = new Block(list, start, end);
        this.foldedRecords += end - start;
        if (worthKeeping) this.#keep(name, number, block);
        yield block;
      } else {
        for (let i = end; i > start; i--) {
          const record = list[i - 1];
          if (record === undefined) break;
          this.foldedRecords++;
          yield new LongRecord(record);
        }
      }
    }
  }

  /** The list is now the one searched last; blocks beyond its end are of records it no longer has. */
  #searched(name: string, count: number): void {
    const blocks = this.#lists.get(name);
    if (blocks === undefined) return;
    this.#lists.delete(name);
    for (const block of blocks.splice(count)) this.#characters -= block?.characters ?? 0;
    if (count > 0) this.#lists.set(name, blocks);
  }

  /** Makes room at the cost of other lists alone: of a list beyond the budget the newest part is kept. */
  #keep(name: string, number: number, block: Block): void {
    if (block.characters > this.#maxCharacters) return;
    for (const [other, blocks] of this.#lists) {
      if (this.#characters + block.characters <= this.#maxCharacters) break;
      if (other === name) continue;
      this.#lists.delete(other);
      for (const dropped of blocks) this.#characters -= dropped?.characters ?? 0;
    }
    if (this.#characters + block.characters > this.#maxCharacters) return;
    let blocks = this.#lists.get(name);
    if (blocks === undefined) {
      blocks = [];
      this.#lists.set(name, blocks);
    }
    blocks[number] = block;
    this.#characters += block.characters;
  }

  #drop(name: string, number: number): void {
    const blocks = this.#lists.get(name);
    this.#characters -= blocks?.[number]?.characters ?? 0;
    if (blocks !== undefined) blocks[number] = undefined;
  }
}

function charactersOf(list: readonly MemoryRecord[], start: number, end: number): number {
  let characters = 0;
  for (let i = start; i < end; i++) characters += list[i]?.text.length ?? 0;
  return characters;
}

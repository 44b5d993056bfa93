// The texts of the lists that were searched lately, lower-cased and joined to
// blocks, so that the next search reads memory in a row. Lower-casing every
// record and fetching it from its own place costs several times the search.
//
// No change is reported to a block. It belongs to a chunk of the list, and a chunk that was
// searched never changes: where a record changes, the list has another chunk.

import { caseFolded, type Needle, WINDOW_CHARACTERS } from '../domain/search.js';
import type { MemoryRecord } from './memory-record.js';
import { CHUNK_RECORDS, type Chunk, type ListSnapshot } from './record-list.js';

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

/** The records of a chunk. */
class Block implements Searchable {
  readonly #chunk: Chunk;
  /** Where each record's text begins in `text`. */
  readonly #offsets: Int32Array;
  readonly #text: string;

  constructor(chunk: Chunk) {
    this.#chunk = chunk;
    this.#offsets = new Int32Array(chunk.length);
    const texts: string[] = [];
    let offset = 0;
    for (const [i, record] of chunk.records.entries()) {
      const text = caseFolded(record.text);
      texts.push(text);
      this.#offsets[i] = offset;
      offset += text.length + BORDER.length;
    }
    this.#text = texts.join(BORDER);
  }

  get characters(): number {
    return this.#text.length;
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
      const record = this.#chunk.records[index];
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

/** Blocks of a list. */
type Blocks = Map<Chunk, Block>;

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

  /** The list in blocks, newest first, each record in exactly one. Other searches, of this list too, may go on meanwhile. */
  *parts(name: string, { chunks, length }: ListSnapshot): Generator<Searchable> {
    // A short list is folded quickly, and short lists can be very many, so none is kept.
    const worthKeeping = length >= CHUNK_RECORDS;
    this.#searched(name, worthKeeping ? chunks : []);
    for (let c = chunks.length - 1; c >= 0; c--) {
      const chunk = chunks[c];
      if (chunk === undefined) break;
      const kept = this.#lists.get(name)?.get(chunk);
      if (kept !== undefined) {
        yield kept;
        continue;
      }
      this.foldedRecords += chunk.length;
      if (charactersOf(chunk) <= BLOCK_MAX_CHARACTERS) {
        const block = new Block(chunk);
        if (worthKeeping) this.#keep(name, chunk, block);
        yield block;
      } else {
        for (const record of chunk.records.toReversed()) yield new LongRecord(record);
      }
    }
  }

  /** The list is now the one searched last; blocks of chunks that it no longer has are dropped. */
  #searched(name: string, chunks: readonly Chunk[]): void {
    const blocks = this.#lists.get(name);
    if (blocks === undefined) return;
    this.#lists.delete(name);
    if (blocks.size > 0) this.#dropOthers(blocks, new Set(chunks));
    if (blocks.size > 0) this.#lists.set(name, blocks);
  }

  #dropOthers(blocks: Blocks, chunks: ReadonlySet<Chunk>): void {
    for (const [chunk, { characters }] of blocks) {
      if (chunks.has(chunk)) continue;
      blocks.delete(chunk);
      this.#characters -= characters;
    }
  }

  /** Makes room at the cost of other lists alone: of a list beyond the budget the newest part is kept. */
  #keep(name: string, chunk: Chunk, block: Block): void {
    if (block.characters > this.#maxCharacters) return;
    for (const [other, blocks] of this.#lists) {
      if (this.#characters + block.characters <= this.#maxCharacters) break;
      if (other === name) continue;
      this.#lists.delete(other);
      for (const { characters } of blocks.values()) this.#characters -= characters;
    }
    if (this.#characters + block.characters > this.#maxCharacters) return;
    let blocks = this.#lists.get(name);
    if (blocks === undefined) {
      blocks = new Map();
      this.#lists.set(name, blocks);
    }
    // Another search of the list may have kept it meanwhile.
    this.#characters += block.characters - (blocks.get(chunk)?.characters ?? 0);
    blocks.set(chunk, block);
  }
}

function charactersOf(chunk: Chunk): number {
  let characters = 0;
  for (const { text } of chunk.records) characters += text.length;
  return characters;
}

// The texts of recently searched lists, case-folded and joined into blocks, so that the next
// search reads memory in sequence. Folding every record and fetching it from its own place
// costs several times as much as the search.
//
// A block belongs to a chunk of a list. Chunks that a snapshot holds never change, so a block is
// never stale: a changed record is in another chunk, and the old one's block is no longer read.

import { caseFolded, type Needle, type YieldIfNeeded } from '../domain/search.js';
import { CHUNK_RECORDS, type Chunk, lowerBound, type MemoryRecord } from './record-list.js';

/** Folding a longer block would take more than a slice: its records are searched one by one. */
const BLOCK_MAX_CHARACTERS = 128 * 1024;
/** All lists together. A character is one byte of memory, or two in a block with letters outside Latin-1. */
const KEPT_MAX_CHARACTERS = 32_000_000;
/** JSON escapes U+0000, so the text between two of them is within one record. */
export const SEPARATOR = '\0';

/** The records of a chunk. */
class Block {
  readonly #chunk: Chunk;
  /** Where each record's text begins in `text`. */
  readonly #offsets: Int32Array;
  readonly text: string;

  constructor(chunk: Chunk) {
    this.#chunk = chunk;
    this.#offsets = new Int32Array(chunk.length);
    const texts: string[] = [];
    let offset = 0;
    for (const [i, record] of chunk.entries()) {
      const text = caseFolded(record.text);
      texts.push(text);
      this.#offsets[i] = offset;
      offset += text.length + SEPARATOR.length;
    }
    this.text = texts.join(SEPARATOR);
  }

  /** The records that contain the needle, newest first. */
  async matches(needle: Needle, yieldIfNeeded: YieldIfNeeded): Promise<MemoryRecord[]> {
    const found: MemoryRecord[] = [];
    for (let from = 0; from < this.text.length; ) {
      const windowEnd = from + needle.window;
      const at = needle.indexIn(this.text, from, windowEnd + needle.text.length - 1);
      if (at === -1) {
        from = windowEnd;
        const turn = yieldIfNeeded();
        if (turn !== undefined) await turn;
        continue;
      }
      // The last record that begins up to there.
      const index = lowerBound(this.#offsets, (offset) => offset <= at) - 1;
      found.push(this.#chunk[index] as MemoryRecord);
      from = this.#offsets[index + 1] ?? this.text.length;
    }
    return found.reverse();
  }
}

export class SearchBlocks {
  readonly #maxCharacters: number;
  /** Blocks and the last search that read each, least recently used first. */
  readonly #kept = new Map<Chunk, { readonly block: Block; readonly search: number }>();
  /** Size of the kept blocks. */
  characters = 0;
  #searches = 0;

  constructor(maxCharacters = KEPT_MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  /** How many records were folded so far, which costs more than searching them. */
  foldedRecords = 0;

  /** A search of one list: finds the records of a chunk that contain the needle, newest first. */
  search(needle: Needle, yieldIfNeeded: YieldIfNeeded) {
    const search = ++this.#searches;
    return (chunk: Chunk): Promise<MemoryRecord[]> => {
      const kept = this.#kept.get(chunk);
      if (kept !== undefined) {
        this.#kept.delete(chunk);
        this.#kept.set(chunk, { ...kept, search });
        return kept.block.matches(needle, yieldIfNeeded);
      }
      this.foldedRecords += chunk.length;
      let characters = 0;
      for (const { text } of chunk) characters += text.length;
      if (characters > BLOCK_MAX_CHARACTERS) return matchesIn(chunk, needle, yieldIfNeeded);
      const block = new Block(chunk);
      // A short one is folded quickly, and short ones can be very many.
      if (chunk.length >= CHUNK_RECORDS / 2) this.#keep(chunk, block, search);
      return block.matches(needle, yieldIfNeeded);
    };
  }

  /** Makes room by evicting the blocks of other searches. If a list exceeds the budget, its newest part is kept. */
  #keep(chunk: Chunk, block: Block, search: number): void {
    if (block.text.length > this.#maxCharacters) return;
    for (const [other, kept] of this.#kept) {
      if (this.characters + block.text.length <= this.#maxCharacters) break;
      if (kept.search === search) return;
      this.#kept.delete(other);
      this.characters -= kept.block.text.length;
    }
    this.#kept.set(chunk, { block, search });
    this.characters += block.text.length;
  }
}

/** Searches the records one by one. */
async function matchesIn(
  chunk: Chunk,
  needle: Needle,
  yieldIfNeeded: YieldIfNeeded,
): Promise<MemoryRecord[]> {
  const found: MemoryRecord[] = [];
  for (const record of chunk.toReversed()) {
    if (await needle.isIn(record.text, yieldIfNeeded)) found.push(record);
  }
  return found;
}

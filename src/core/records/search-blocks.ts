// A cache of recently searched texts, case-folded and joined into blocks, so that the next search reads
// memory sequentially. Folding every record and reading it from its own address costs several times as
// much as the search.
//
// A block belongs to a chunk of a list. Chunks of a snapshot never change, so a block is never stale: a
// changed record is in another chunk, and the old one's block is no longer read.

import { caseFolded, type Needle, type YieldIfNeeded } from '../domain/search.js';
import { CHUNK_RECORDS, type Chunk, lowerBound, type MemoryRecord } from './record-list.js';

/** Folding a longer block would exceed a time slice, so its records are searched one by one. */
const BLOCK_MAX_CHARACTERS = 128 * 1024;
/** All lists together. A character takes one byte of memory, or two in a block with letters outside Latin-1. */
const CACHE_MAX_CHARACTERS = 32_000_000;
/** Between two records' texts, which don't contain it because JSON escapes U+0000. */
export const SEPARATOR = '\0';

/** The texts of a chunk. */
class Block {
  readonly #chunk: Chunk;
  /** The start of each record's text in `text`. */
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
      // The last record that starts at or before the match.
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
  readonly #cache = new Map<Chunk, { readonly block: Block; readonly searchId: number }>();
  /** Size of the cached blocks. */
  characters = 0;
  /** How many records were folded so far, which costs more than searching them. */
  foldedRecords = 0;
  #searches = 0;

  constructor(maxCharacters = CACHE_MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  /** A function for one search that finds the records of a chunk that contain the needle, newest first. */
  matcher(needle: Needle, yieldIfNeeded: YieldIfNeeded) {
    const searchId = ++this.#searches;
    return (chunk: Chunk): Promise<MemoryRecord[]> => {
      const cached = this.#cache.get(chunk);
      if (cached !== undefined) {
        this.#cache.delete(chunk);
        this.#cache.set(chunk, { ...cached, searchId });
        return cached.block.matches(needle, yieldIfNeeded);
      }
      this.foldedRecords += chunk.length;
      let characters = 0;
      for (const { text } of chunk) characters += text.length;
      if (characters > BLOCK_MAX_CHARACTERS) return matchesOneByOne(chunk, needle, yieldIfNeeded);
      const block = new Block(chunk);
      // Short chunks are folded quickly, and can be very many.
      if (chunk.length >= CHUNK_RECORDS / 2) this.#add(chunk, block, searchId);
      return block.matches(needle, yieldIfNeeded);
    };
  }

  /** Evicts only blocks of other searches. If a list exceeds the budget, its newest part stays in the cache. */
  #add(chunk: Chunk, block: Block, searchId: number): void {
    if (block.text.length > this.#maxCharacters) return;
    for (const [other, cached] of this.#cache) {
      if (this.characters + block.text.length <= this.#maxCharacters) break;
      if (cached.searchId === searchId) return;
      this.#cache.delete(other);
      this.characters -= cached.block.text.length;
    }
    this.#cache.set(chunk, { block, searchId });
    this.characters += block.text.length;
  }
}

/** Searches the records one by one. */
async function matchesOneByOne(
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

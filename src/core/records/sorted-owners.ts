// A set of texts that is always in order, and of which a page needs no sorting. The texts are
// kept in chunks: an insertion moves the texts of one chunk, however many there are in all.
// In one array of 2,000,000 an insertion takes 0.24 ms, and a group of writes may have 1,000.

import { lowerBound } from './lower-bound.js';

/** A chunk that grows beyond it becomes two. */
const CHUNK_MAX_TEXTS = 1_024;

export class OwnerIndex {
  /** Only an empty set has an empty chunk. */
  readonly #chunks: string[][] = [];

  /** The texts, each of them once, in any order. */
  constructor(texts: Iterable<string>) {
    const sorted = [...texts].sort();
    for (let start = 0; start === 0 || start < sorted.length; start += CHUNK_MAX_TEXTS / 2) {
      this.#chunks.push(sorted.slice(start, start + CHUNK_MAX_TEXTS / 2));
    }
  }

  /** Adds a text that is not in the set. */
  add(text: string): void {
    const number = this.#chunkOf(text);
    const chunk = this.#chunks[number] ?? [];
    chunk.splice(firstFrom(chunk, text), 0, text);
    if (chunk.length <= CHUNK_MAX_TEXTS) return;
    this.#chunks.splice(number + 1, 0, chunk.splice(CHUNK_MAX_TEXTS / 2));
  }

  /** Removes a text, if it is in the set. */
  delete(text: string): void {
    const number = this.#chunkOf(text);
    const chunk = this.#chunks[number] ?? [];
    const index = firstFrom(chunk, text);
    if (chunk[index] !== text) return;
    chunk.splice(index, 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(number, 1);
  }

  /** At most `count` texts, the `first` smallest left out. */
  slice(first: number, count: number): string[] {
    const page: string[] = [];
    let skipped = 0;
    for (const chunk of this.#chunks) {
      const from = Math.max(first - skipped, 0);
      if (from < chunk.length) page.push(...chunk.slice(from, from + count - page.length));
      if (page.length >= count) break;
      skipped += chunk.length;
    }
    return page;
  }

  /** In order. Iteration sees concurrent changes. */
  *[Symbol.iterator](): Generator<string, void, undefined> {
    for (let text = this.after(undefined); text !== undefined; text = this.after(text)) yield text;
  }

  /** The next text in order; without a text, the first. */
  after(text: string | undefined): string | undefined {
    if (text === undefined) return this.#chunks[0]?.[0];
    const number = this.#chunkOf(text);
    const chunk = this.#chunks[number] ?? [];
    const index = firstFrom(chunk, text);
    return chunk[chunk[index] === text ? index + 1 : index] ?? this.#chunks[number + 1]?.[0];
  }

  /** The number of the last chunk that begins with the text or one before it; the first one, if none does. */
  #chunkOf(text: string): number {
    return Math.max(lowerBound(this.#chunks, ([first = '']) => first <= text) - 1, 0);
  }
}

/** The index of the first text that is not before this one. */
function firstFrom(texts: readonly string[], text: string): number {
  return lowerBound(texts, (other) => other < text);
}

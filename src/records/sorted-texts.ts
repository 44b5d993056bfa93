// A set of texts that is always in order: a page of it, or what follows a text, is
// had without sorting, and a text comes and goes without moving all the others.

/** Enough that there are few chunks, few enough that a text is put between others in a microsecond. */
const CHUNK_MAX_TEXTS = 512;

export class SortedTexts {
  /** Each in order and never empty, and all texts of one before those of the next. */
  readonly #chunks: string[][] = [];

  /** The texts, each of them once, in any order. */
  constructor(texts: Iterable<string>) {
    const sorted = [...texts].sort();
    for (let start = 0; start < sorted.length; start += CHUNK_MAX_TEXTS / 2) {
      this.#chunks.push(sorted.slice(start, start + CHUNK_MAX_TEXTS / 2));
    }
  }

  /** Adds a text that is not in it. */
  add(text: string): void {
    const number = Math.max(this.#chunkBefore(text), 0);
    const chunk = this.#chunks[number];
    if (chunk === undefined) {
      this.#chunks.push([text]);
      return;
    }
    chunk.splice(firstFrom(chunk, text), 0, text);
    if (chunk.length > CHUNK_MAX_TEXTS) {
      this.#chunks.splice(number + 1, 0, chunk.splice(CHUNK_MAX_TEXTS / 2));
    }
  }

  /** Removes a text that is in it. */
  delete(text: string): void {
    const number = this.#chunkBefore(text);
    const chunk = this.#chunks[number];
    const index = chunk === undefined ? 0 : firstFrom(chunk, text);
    if (chunk?.[index] !== text) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(number, 1);
  }

  /** At most `count` texts, the `first` smallest left out. */
  slice(first: number, count: number): string[] {
    const found: string[] = [];
    let before = first;
    for (const chunk of this.#chunks) {
      if (found.length === count) break;
      if (before < chunk.length) found.push(...chunk.slice(before, before + count - found.length));
      before = Math.max(before - chunk.length, 0);
    }
    return found;
  }

  /** Some of the texts that follow this one, the next of them first; none where it is the last. */
  after(text: string | undefined): readonly string[] {
    if (text === undefined) return this.#chunks[0]?.slice() ?? [];
    const number = Math.max(this.#chunkBefore(text), 0);
    const chunk = this.#chunks[number] ?? [];
    const index = firstFrom(chunk, text);
    const rest = chunk.slice(chunk[index] === text ? index + 1 : index);
    return rest.length > 0 ? rest : (this.#chunks[number + 1]?.slice() ?? []);
  }

  /** The last chunk that begins with this text or one before it; -1 where all begin behind it. */
  #chunkBefore(text: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#chunks[middle]?.[0] ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** The index of the first text that is not before this one. */
function firstFrom(texts: readonly string[], text: string): number {
  let low = 0;
  let high = texts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((texts[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

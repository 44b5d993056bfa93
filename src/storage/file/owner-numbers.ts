// Numbers the owners of a start's rows as they come: an owner is told by its UTF-8 bytes, because
// making a text of each row's owner and looking that up takes three times longer.

/** Of rows without an owner. */
export const NO_OWNER = 0;

const FIRST_SLOTS = 4_096;
const FIRST_BYTES = 65_536;
/** 32-bit FNV-1a (datatracker.ietf.org/doc/html/draft-eastlake-fnv). */
const [FNV_OFFSET, FNV_PRIME] = [0x811c9dc5, 0x01000193];

export class OwnerNumbers {
  /** By number. */
  readonly #names: (string | undefined)[] = [undefined];
  readonly #hashes: number[] = [0];
  /** All names' bytes, one behind the other, and where each ends. */
  #bytes = new Uint8Array(FIRST_BYTES);
  readonly #ends: number[] = [0];
  /** Open addressing, at most half full; 0 where a slot is free. */
  #slots = new Int32Array(FIRST_SLOTS);
  /** Texts that UTF-8 cannot hold. */
  readonly #others = new Map<string, number>();

  nameOf(number: number): string | undefined {
    return this.#names[number];
  }

  /** Of the owner whose name is between two places of UTF-8 bytes. */
  of(bytes: Buffer, start: number, end: number): number {
    let hash = FNV_OFFSET;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
    const mask = this.#slots.length - 1;
    for (let slot = firstSlot(hash) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0) return this.#added(bytes.subarray(start, end), hash);
      if (this.#hashes[number] === hash && this.#is(number, bytes, start, end)) return number;
    }
  }

  ofText(owner: string | undefined): number {
    if (owner === undefined) return NO_OWNER;
    const bytes = Buffer.from(owner);
    if (bytes.toString() === owner) return this.of(bytes, 0, bytes.length);
    let number = this.#others.get(owner);
    if (number === undefined) {
      number = this.#names.push(owner) - 1;
      this.#hashes.push(0);
      this.#ends.push(this.#ends.at(-1) ?? 0);
      this.#others.set(owner, number);
    }
    return number;
  }

  #is(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    let at = this.#ends[number - 1] ?? 0;
    if ((this.#ends[number] ?? 0) - at !== end - start) return false;
    for (let i = start; i < end; i++) if (this.#bytes[at++] !== bytes[i]) return false;
    return true;
  }

  #added(name: Buffer, hash: number): number {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + name.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(2 * end);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(name, start);
    this.#ends.push(end);
    this.#hashes.push(hash);
    const number = this.#names.push(name.toString()) - 1;
    if (2 * number > this.#slots.length) {
      this.#slots = new Int32Array(2 * this.#slots.length);
      for (let known = 1; known < number; known++) this.#place(known);
    }
    this.#place(number);
    return number;
  }

  #place(number: number): void {
    const mask = this.#slots.length - 1;
    let slot = firstSlot(this.#hashes[number] ?? 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number;
  }
}

/** The high bits of this hash are the better ones. */
function firstSlot(hash: number): number {
  return hash ^ (hash >>> 15);
}

// Random numbers from a seed: the same seed gives the same numbers.

export type Random = ReturnType<typeof randomFrom>;

/** A generator from a seed (mulberry32). */
export function randomFrom(seed: number) {
  let state = seed >>> 0;
  /** A number from 0 up to, not including, 1. */
  function fraction() {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  /** A whole number from `least` to `most`, both included. */
  function between(least: number, most: number) {
    return least + Math.floor(fraction() * (most - least + 1));
  }
  return {
    fraction,
    between,
    chance: (probability: number) => fraction() < probability,
    /** The list must not be empty. */
    oneOf: <T>(values: readonly T[]) => values[between(0, values.length - 1)] as T,
  };
}

export function newSeed() {
  return Math.floor(Math.random() * 2 ** 32);
}

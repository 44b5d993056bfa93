// Random numbers from a seed: the same seed gives the same numbers again. Plain JavaScript,
// since processes of the trials use it, too.

/** @typedef {ReturnType<typeof randomFrom>} Random */

/** A generator from a seed (mulberry32). */
export function randomFrom(/** @type {number} */ seed) {
  let state = seed >>> 0;
  /** A number from 0 up to, not including, 1. */
  function fraction() {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  /** A whole number from `least` to `most`, both included. */
  function between(/** @type {number} */ least, /** @type {number} */ most) {
    return least + Math.floor(fraction() * (most - least + 1));
  }
  /**
   * One of the values. The list must not be empty.
   * @template T
   * @param {readonly T[]} values
   */
  function oneOf(values) {
    return /** @type {T} */ (values[between(0, values.length - 1)]);
  }
  return {
    fraction,
    between,
    chance: (/** @type {number} */ probability) => fraction() < probability,
    oneOf,
  };
}

export function newSeed() {
  return Math.floor(Math.random() * 2 ** 32);
}

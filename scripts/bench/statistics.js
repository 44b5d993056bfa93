// Medians, ratios and percentiles of the benchmark's rounds.

/** The middle value, or the mean of the two in the middle. Throws if there is none. */
export function median(/** @type {readonly number[]} */ values) {
  if (values.length === 0) throw new Error('no values: nothing was measured');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * The median of each round's own ratio. A temporary disturbance of the machine
 * affects both sides of a round, and so their ratio least. Rounds that only
 * one side had are ignored.
 */
export function medianRatio(
  /** @type {readonly number[]} */ ours,
  /** @type {readonly number[]} */ theirs,
) {
  const both = Math.min(ours.length, theirs.length);
  return median(ours.slice(0, both).map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

/** The smallest value that `percent` of all values do not exceed (nearest rank). */
export function percentile(/** @type {readonly number[]} */ values, /** @type {number} */ percent) {
  if (values.length === 0) throw new Error('no values: nothing was measured');
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(Math.ceil((percent / 100) * sorted.length), 1);
  return sorted[rank - 1] ?? Number.NaN;
}

// Binary search in the ordered lists of this folder.

/** How many items at the beginning pass the test; each item after the first that fails must fail, too. */
export function lowerBound<T>(items: ArrayLike<T>, passes: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}

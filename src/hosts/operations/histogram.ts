// A histogram as Prometheus has it: how many observations were at most so
// large, how many there were, and their sum.

export class Histogram {
  /** Upper bounds, ascending, without the infinite one. */
  readonly bounds: readonly number[];
  /** Observations of each single bucket; the last one has no upper bound. */
  readonly #counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.sum += value;
  }

  get count(): number {
    return this.#counts.reduce((total, count) => total + count, 0);
  }

  /** For each bound, how many observations were at most that. */
  get cumulative(): readonly number[] {
    let total = 0;
    return this.bounds.map((_, bucket) => {
      total += this.#counts[bucket] ?? 0;
      return total;
    });
  }
}

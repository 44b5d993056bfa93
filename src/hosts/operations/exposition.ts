// Prometheus' text format, version 0.0.4: each metric family is its help, its type and its samples.

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Values come from fixed sets, so they need no escaping. */
type Labels = Readonly<Record<string, string>>;
/** A family's samples are all numbers or all histograms. */
export type Sample = readonly [labels: Labels, value: number | Histogram];

export class Histogram {
  /** Upper bounds of the buckets, ascending, without infinity. */
  readonly bounds: readonly number[];
  /** Observations in each bucket, not cumulative; the last bucket has no upper bound. */
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

  /** The number of observations up to each bound, then the total. */
  get cumulative(): readonly number[] {
    let total = 0;
    return this.#counts.map((count) => {
      total += count;
      return total;
    });
  }
}

/** Empty if there are no samples. A name that ends with `_total` is a counter. */
export function familyText(name: string, help: string, samples: readonly Sample[]): string {
  const [first] = samples;
  if (first === undefined) return '';
  const single = name.endsWith('_total') ? 'counter' : 'gauge';
  const type = typeof first[1] === 'number' ? single : 'histogram';
  const lines = samples.map(([labels, value]) =>
    typeof value === 'number' ? line(name, labels, value) : bucketLines(name, labels, value),
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function bucketLines(name: string, labels: Labels, { bounds, cumulative, sum }: Histogram) {
  const buckets = cumulative.map((count, bucket) =>
    line(`${name}_bucket`, { ...labels, le: String(bounds[bucket] ?? '+Inf') }, count),
  );
  const all = cumulative.at(-1) ?? 0;
  return buckets.join('') + line(`${name}_sum`, labels, sum) + line(`${name}_count`, labels, all);
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

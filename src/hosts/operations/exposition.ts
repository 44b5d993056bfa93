// The text format of Prometheus, version 0.0.4: a family of samples after its help and type.

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];
export type Series = readonly [labels: Labels, histogram: Histogram];
/** Samples, histograms, or one number without labels. */
export type Family =
  | number
  | { readonly samples: readonly Sample[] }
  | { readonly series: readonly Series[] };

/** How many observations were at most each bound, how many there were, and their sum. */
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

  /** For each bound how many observations were at most that, and at the end all. */
  get cumulative(): readonly number[] {
    let total = 0;
    return this.#counts.map((count) => {
      total += count;
      return total;
    });
  }
}

/** A name that ends with `_total` is a counter's. */
export function familyText(name: string, help: string, family: Family): string {
  const isHistogram = typeof family === 'object' && 'series' in family;
  const type = isHistogram ? 'histogram' : name.endsWith('_total') ? 'counter' : 'gauge';
  const lines = isHistogram
    ? family.series.flatMap((series) => buckets(name, series))
    : samplesOf(name, family);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function samplesOf(name: string, family: Exclude<Family, { readonly series: unknown }>): string[] {
  const samples: readonly Sample[] = typeof family === 'number' ? [[{}, family]] : family.samples;
  return samples.map(([labels, value]) => line(name, labels, value));
}

function buckets(name: string, [labels, { bounds, cumulative, sum }]: Series): string[] {
  const all = cumulative.at(-1) ?? 0;
  return [
    ...cumulative.map((count, bucket) =>
      line(`${name}_bucket`, { ...labels, le: String(bounds[bucket] ?? '+Inf') }, count),
    ),
    line(`${name}_sum`, labels, sum),
    line(`${name}_count`, labels, all),
  ];
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

// The package has no types of its own: what the tests use of it.

declare module 'parse-prometheus-text-format' {
  interface Metric {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value?: string;
    /** Of a histogram: cumulative counts by upper bound. */
    readonly buckets?: Readonly<Record<string, string>>;
    readonly count?: string;
    readonly sum?: string;
  }
  interface Family {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly metrics: readonly Metric[];
  }
  export default function parse(text: string): Family[];
}

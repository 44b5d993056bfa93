// The text format of Prometheus, version 0.0.4: families of samples, each with
// its help and type before it.

import type { Histogram } from './histogram.js';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];

const NO_LABELS: Labels = {};

export class Exposition {
  #text = '';

  counter(name: string, help: string, samples: number | Iterable<Sample>): void {
    this.#family(name, 'counter', help, samples);
  }

  /** Undefined when the figure is not available here or now: the family is left out. */
  gauge(name: string, help: string, samples: number | Iterable<Sample> | undefined): void {
    if (samples !== undefined) this.#family(name, 'gauge', help, samples);
  }

  histogram(name: string, help: string, series: Iterable<readonly [Labels, Histogram]>): void {
    this.#head(name, 'histogram', help);
    for (const [labels, histogram] of series) {
      const { bounds, cumulative, count, sum } = histogram;
      bounds.forEach((bound, bucket) => {
        this.#sample(`${name}_bucket`, { ...labels, le: String(bound) }, cumulative[bucket] ?? 0);
      });
      this.#sample(`${name}_bucket`, { ...labels, le: '+Inf' }, count);
      this.#sample(`${name}_sum`, labels, sum);
      this.#sample(`${name}_count`, labels, count);
    }
  }

  get text(): string {
    return this.#text;
  }

  #family(name: string, type: string, help: string, samples: number | Iterable<Sample>): void {
    this.#head(name, type, help);
    if (typeof samples === 'number') this.#sample(name, NO_LABELS, samples);
    else for (const [labels, value] of samples) this.#sample(name, labels, value);
  }

  #head(name: string, type: string, help: string): void {
    this.#text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  }

  #sample(name: string, labels: Labels, value: number): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    this.#text += `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
  }
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

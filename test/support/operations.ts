// Reads the operations port for tests: its pages, and its metrics by a parser from another
// project.

import type { ServerProcess } from './server-process.js';

type Labels = Readonly<Record<string, string>>;
interface Family extends Readonly<Record<'name' | 'help' | 'type', string>> {
  /** `sum`: of a histogram. */
  readonly metrics: readonly { labels?: Labels; value?: string; sum?: string }[];
}
/** The parser has no types of its own. */
const PARSER: string = 'parse-prometheus-text-format';
export const parseMetrics: (text: string) => Family[] = (await import(PARSER)).default;

/** The origin of the operations port, as the server printed it. */
export function operationsOf(server: Pick<ServerProcess, 'log'>): string {
  return String(server.log().find(({ event }) => event === 'started')?.['operations']);
}

export async function readyOf(operations: string) {
  const response = await fetch(`${operations}/ready`);
  type Page = { ready: boolean; reasons: readonly string[]; warnings: readonly string[] };
  return { status: response.status, ...((await response.json()) as Page) };
}

export class Metrics {
  readonly families: ReadonlyMap<string, Family>;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.families = new Map(parseMetrics(text).map((family) => [family.name, family]));
  }

  static async of(operations: string): Promise<Metrics> {
    return new Metrics(await (await fetch(`${operations}/metrics`)).text());
  }

  /** The number of observations of a histogram in all its series. The parser knows one series for each histogram. */
  observations(name: string): number {
    const counts = this.#text.matchAll(new RegExp(`^${name}_count(?:{.*})? (\\d+)$`, 'gm'));
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** The sum of the samples that have all these labels. */
  total(name: string, labels: Labels = {}): number {
    const wanted = Object.entries(labels);
    return (this.families.get(name)?.metrics ?? [])
      .filter((metric) => wanted.every(([label, value]) => metric.labels?.[label] === value))
      .reduce((sum, { value }) => sum + Number(value), 0);
  }
}

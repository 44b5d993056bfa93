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

/** The metrics, as `families` by name and as `text`. */
export async function metricsOf(operations: string) {
  const text = await (await fetch(`${operations}/metrics`)).text();
  const families = new Map(parseMetrics(text).map((family) => [family.name, family]));
  /** The sum of the samples that have all these labels. */
  const total = (name: string, labels: Labels = {}): number =>
    (families.get(name)?.metrics ?? [])
      .filter((metric) => Object.entries(labels).every(([key, of]) => metric.labels?.[key] === of))
      .reduce((sum, { value }) => sum + Number(value), 0);
  return { text, families, total };
}

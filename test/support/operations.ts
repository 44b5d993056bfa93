// Reads the operations port for tests: its pages, and its metrics by a parser from another
// project.

import parse, { type Family } from 'parse-prometheus-text-format';
import type { ServerProcess } from './server-process.js';

export interface ReadyPage {
  readonly status: number;
  readonly ready: boolean;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/** The origin of the operations port, as the server printed it. */
export function operationsOf(server: Pick<ServerProcess, 'log'>): string {
  return String(server.log().find(({ event }) => event === 'started')?.['operations']);
}

export async function readyOf(operations: string): Promise<ReadyPage> {
  const response = await fetch(`${operations}/ready`);
  return { status: response.status, ...(await response.json()) };
}

/** Asks until `/ready` has these reasons. The test's time-out ends it otherwise. */
export async function untilReasons(operations: string, reasons: readonly string[]): Promise<void> {
  for (;;) {
    const page = await readyOf(operations).catch(() => undefined);
    if (page !== undefined && JSON.stringify(page.reasons) === JSON.stringify(reasons)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export class Metrics {
  readonly families: ReadonlyMap<string, Family>;

  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.families = new Map(parse(text).map((family) => [family.name, family]));
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
  total(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const matching = (this.families.get(name)?.metrics ?? []).filter((metric) =>
      Object.entries(labels).every(([label, value]) => metric.labels?.[label] === value),
    );
    return matching.reduce((sum, metric) => sum + Number(metric.value), 0);
  }
}

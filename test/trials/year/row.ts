// An event of the year, and its row of the table: what the operator saw, what was lost.

import { seconds } from '../figures.js';
import type { Finding } from '../trial.js';
import { look, loud, type Mark, markOf, type Seen, wordsOf } from './eyes.js';
import type { Machine } from './machine.js';

export interface YearEvent {
  readonly name: string;
  /** Days of ordinary work before it. */
  readonly days: number;
  readonly happen: (row: Row) => Promise<void>;
  /** What this machine lacks for it; undefined where it can be made. */
  readonly lacks?: (machine: Machine) => string | undefined;
}

export class Row {
  readonly machine: Machine;
  readonly event: string;
  readonly #mark: Mark;
  #began = performance.now();
  readonly #mistakes: string[] = [];
  readonly #day: number;
  readonly #saw: string[] = [];
  #afterMs: number | undefined;
  #lost = '0';

  private constructor(machine: Machine, event: string, mark: Mark) {
    this.machine = machine;
    this.event = event;
    this.#mark = mark;
    this.#day = machine.day;
  }

  static async of(machine: Machine, event: string): Promise<Row> {
    return new Row(machine, event, await markOf(machine));
  }

  /** What the operator sees now; the table has it. */
  async look(): Promise<Seen> {
    this.seen();
    const seen = await look(this.machine, this.#mark);
    this.#saw.push(wordsOf(seen));
    return seen;
  }

  get log(): readonly string[] {
    return loud(this.machine, this.#mark);
  }

  /** Something that the operator saw. */
  saw(text: string): void {
    this.seen();
    this.#saw.push(text);
  }

  /** The moment of the event; without it, the row's begin. */
  begin(): void {
    this.#began = performance.now();
  }

  /** The moment at which the operator could first know. */
  seen(): void {
    this.#afterMs ??= performance.now() - this.#began;
  }

  expect(isSo: boolean, otherwise: string): void {
    if (!isSo) this.#mistakes.push(otherwise);
  }

  /** One of these alerts must fire, where this machine can judge alerts. */
  expectAlert(alerts: Seen['alerts'], ...wanted: readonly string[]): void {
    const isFired = alerts === undefined || alerts.some(({ name }) => wanted.includes(name));
    this.expect(isFired, `no alert ${wanted.join(' or ')}`);
  }

  /** `isSaid`: the page says that it may be lost. */
  lost(text: string, isSaid: boolean): void {
    this.#lost = text;
    this.expect(isSaid, `lost: ${text}`);
  }

  /** Compares the service's records with what was acknowledged. */
  async compared(): Promise<void> {
    const differences = await this.machine.clients.compare();
    if (differences.count > 0) this.lost(String(differences), false);
  }

  failed(error: unknown): void {
    this.#mistakes.push(error instanceof Error ? error.message : String(error));
  }

  get finding(): Finding {
    const { day, event, saw, after, lost } = this.cells;
    return {
      fault: `day ${day}: ${event}`,
      tried: `after ${after}: ${saw}`,
      found: `lost: ${lost}`,
      holds: this.#mistakes.length === 0,
    };
  }

  /** For the table. */
  get cells() {
    const wrong = this.#mistakes.length === 0 ? '' : `. WRONG: ${this.#mistakes.join('; ')}`;
    return {
      day: String(this.#day),
      event: this.event,
      saw: this.#saw.join('; ') || 'nothing',
      after: seconds(this.#afterMs ?? 0),
      lost: `${this.#lost}${wrong}`,
    };
  }
}

export type Cells = Row['cells'];

/** In Markdown. */
export function tableOf(rows: readonly Cells[]): string {
  const lines = rows.map(
    ({ day, event, saw, after, lost }) => `| ${day} | ${event} | ${saw} | ${after} | ${lost} |`,
  );
  return [
    '| Day | Event | What the operator saw | After | Lost |',
    '|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

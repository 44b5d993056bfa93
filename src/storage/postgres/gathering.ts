// Statements of one kind that wait at the same time go to Postgres as one: each costs a fraction,
// and writes share a commit. It is all or nothing; if it is refused, each goes alone.

import type { Answered, Statement, StatementError } from './statement.js';

/** While these are in flight, the next ones gather. */
const IN_FLIGHT_MAX = 2;
const STATEMENTS_MAX = 100;
/** Of texts: a longer one goes alone. */
const CHARACTERS_MAX = 1_000_000;

type Rows = readonly object[];
type Send = (
  columns: readonly unknown[],
  until: number,
  wasLost: boolean,
) => Promise<Answered<Rows>>;

interface Waiting {
  readonly values: readonly unknown[];
  readonly until: number;
  readonly resolve: (answered: Answered<Rows>) => void;
  readonly reject: (error: unknown) => void;
}

export class Gathering {
  readonly #toColumns: ReturnType<typeof columnsOf>;
  readonly #send: Send;
  #waiting: Waiting[] = [];
  #inFlight = 0;
  #isWoken = false;

  constructor(statement: Statement, send: Send) {
    this.#toColumns = columnsOf(statement);
    this.#send = send;
  }

  add<Row extends object>(
    values: readonly unknown[],
    until: number,
  ): Promise<Answered<readonly Row[]>> {
    const answered = new Promise<Answered<Rows>>((resolve, reject) => {
      this.#waiting.push({ values, until, resolve, reject });
      if (this.#isWoken) return;
      this.#isWoken = true;
      // Requests that arrived in this turn of the event loop go together.
      setImmediate(() => {
        this.#isWoken = false;
        this.#next();
      });
    });
    return answered as Promise<Answered<readonly Row[]>>;
  }

  /** `wasLost`: an earlier attempt may have been stored. */
  alone<Row extends object>(
    values: readonly unknown[],
    until: number,
    wasLost = false,
  ): Promise<Answered<readonly Row[]>> {
    const sent = this.#send(this.#toColumns([values]), until, wasLost);
    return sent as Promise<Answered<readonly Row[]>>;
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#inFlight < IN_FLIGHT_MAX) {
      const group = this.#waiting.splice(0, firstTogether(this.#waiting));
      this.#inFlight++;
      void this.#sendGroup(group).finally(() => {
        this.#inFlight--;
        this.#next();
      });
    }
  }

  async #sendGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const columns = this.#toColumns(group.map(({ values }) => values));
      const until = Math.min(...group.map((each) => each.until));
      const { result, wasLost } = await this.#send(columns, until, false);
      const found = group.map((): object[] => []);
      for (const row of result as readonly { n: number }[]) found[row.n - 1]?.push(row);
      for (const [index, { resolve }] of group.entries()) {
        resolve({ result: found[index] ?? [], wasLost });
      }
    } catch (error) {
      const [only, ...others] = group;
      if (others.length === 0) return only?.reject(error);
      // One of them is why, or the first has no time left: alone, each has its own outcome.
      const { wasLost } = error as StatementError;
      for (const { values, until, resolve, reject } of group) {
        await this.alone(values, until, wasLost).then(resolve, reject);
      }
    }
  }
}

/** Bodies go as one text: no JSON text has the separator, and an array's own spelling would escape every quote. */
const SEPARATOR = '\x1e';

function columnsOf({ text }: Statement) {
  const joined = new Set(
    Array.from(text.matchAll(/string_to_array\(\$(\d+)/g), ([, place]) => Number(place) - 1),
  );
  return (group: readonly (readonly unknown[])[]): unknown[] =>
    (group[0] ?? []).map((_, place) => {
      const column = group.map((values) => values[place]);
      return joined.has(place) ? column.join(SEPARATOR) : column;
    });
}

/** How many of the first ones go together. */
function firstTogether(waiting: readonly Waiting[]): number {
  let characters = 0;
  for (const [index, { values }] of waiting.entries()) {
    for (const value of values) if (typeof value === 'string') characters += value.length;
    if (index > 0 && (index === STATEMENTS_MAX || characters > CHARACTERS_MAX)) return index;
  }
  return waiting.length;
}

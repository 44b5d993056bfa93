// Statements of one kind that wait at the same time go to Postgres as one: each costs a fraction,
// and writes share a commit. It is all or nothing; if it is refused, each goes alone.

import type { Statement } from './statements.js';

/** While these are in flight, the next ones gather. */
const IN_FLIGHT_MAX = 2;
const STATEMENTS_MAX = 100;
/** Of texts: a longer one goes alone. */
const CHARACTERS_MAX = 1_000_000;

/** All attempts of one request. */
export interface Attempts {
  /** Of `performance.now()`: the request has until then for everything that it asks of Postgres. */
  readonly until: number;
  /** A write was sent and got no answer: it may have been stored. */
  isOpen: boolean;
}

type Rows = readonly object[];
type Send = (columns: readonly unknown[], group: readonly Attempts[]) => Promise<Rows>;

interface Waiting {
  readonly values: readonly unknown[];
  readonly attempts: Attempts;
  readonly resolve: (rows: Rows) => void;
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

  add(values: readonly unknown[], attempts: Attempts): Promise<Rows> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values, attempts, resolve, reject });
      if (this.#isWoken) return;
      this.#isWoken = true;
      // Requests that arrived in this turn of the event loop go together.
      setImmediate(() => {
        this.#isWoken = false;
        this.#next();
      });
    });
  }

  alone(values: readonly unknown[], attempts: Attempts): Promise<Rows> {
    return this.#send(this.#toColumns([values]), [attempts]);
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
      const attempts = group.map((each) => each.attempts);
      const found = group.map((): object[] => []);
      for (const row of await this.#send(columns, attempts)) {
        found[(row as { n: number }).n - 1]?.push(row);
      }
      for (const [index, { resolve }] of group.entries()) resolve(found[index] ?? []);
    } catch (error) {
      const [only, ...others] = group;
      if (others.length === 0) return only?.reject(error);
      // One of them is why, or the first has no time left: alone, each has its own outcome.
      for (const { values, attempts, resolve, reject } of group) {
        await this.alone(values, attempts).then(resolve, reject);
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

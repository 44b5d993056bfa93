// Statements of one kind that wait at the same time go to Postgres as one: each costs a fraction,
// and writes share a commit. It is all or nothing; if it is refused, each goes alone.

import type { Statement } from './statements.js';

/** While these are in flight, the next ones gather. */
const IN_FLIGHT_MAX = 2;
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
export type Ask = (values: readonly unknown[], attempts: Attempts) => Promise<Rows>;

interface Waiting {
  readonly values: readonly unknown[];
  readonly attempts: Attempts;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

/** Asks the statement for its caller, with others where it may. */
export function gathering(statement: Statement, send: Send): Ask {
  const toColumns = columnsOf(statement);
  const waiting: Waiting[] = [];
  let inFlight = 0;

  const alone: Ask = (values, attempts) => send(toColumns([values]), [attempts]);

  async function sendGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const columns = toColumns(group.map(({ values }) => values));
      const attempts = group.map((each) => each.attempts);
      const found = group.map((): object[] => []);
      for (const row of await send(columns, attempts)) {
        found[(row as { n: number }).n - 1]?.push(row);
      }
      for (const [index, { resolve }] of group.entries()) resolve(found[index] ?? []);
    } catch (error) {
      if (group.length === 1) return group[0]?.reject(error);
      // One of them is why, or the first has no time left: alone, each has its own outcome.
      for (const { values, attempts, resolve, reject } of group) {
        await alone(values, attempts).then(resolve, reject);
      }
    }
  }

  function next(): void {
    while (waiting.length > 0 && inFlight < IN_FLIGHT_MAX) {
      inFlight++;
      void sendGroup(waiting.splice(0, firstTogether(waiting, statement))).finally(() => {
        inFlight--;
        next();
      });
    }
  }

  if (statement.togetherMax === 1) return alone;
  return (values, attempts) =>
    new Promise((resolve, reject) => {
      waiting.push({ values, attempts, resolve, reject });
      // Requests that arrived in this turn of the event loop go together.
      if (waiting.length === 1) setImmediate(next);
    });
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
function firstTogether(waiting: readonly Waiting[], { togetherMax }: Statement): number {
  let characters = 0;
  for (const [index, { values }] of waiting.entries()) {
    for (const value of values) if (typeof value === 'string') characters += value.length;
    if (index > 0 && (index === togetherMax || characters > CHARACTERS_MAX)) return index;
  }
  return waiting.length;
}

// Batches concurrent statements of one kind: each costs a fraction, and writes share a commit. A batch
// is all or nothing; if it is refused, its statements are sent one by one.

import type { Statement } from './statements.js';

/** While this many batches are in flight, further statements wait for the next one. */
const IN_FLIGHT_MAX = 2;
/** Total length of a batch's texts; a longer statement is sent alone. */
const CHARACTERS_MAX = 1_000_000;

/** The state of one request across its statements and retries. */
export interface Attempts {
  /** On the clock of `performance.now()`. */
  readonly until: number;
  /** A write was sent and not answered: it may have been committed. */
  isInDoubt: boolean;
}

type Rows = readonly object[];
type Send = (columns: readonly unknown[], batch: readonly Attempts[]) => Promise<Rows>;
export type Ask = (values: readonly unknown[], attempts: Attempts) => Promise<Rows>;

interface Waiting {
  readonly values: readonly unknown[];
  readonly attempts: Attempts;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs the statement for its callers, batched as far as it allows. */
export function batching(statement: Statement, send: Send): Ask {
  const toColumns = columnsOf(statement);
  const waiting: Waiting[] = [];
  let inFlight = 0;

  const alone: Ask = (values, attempts) => send(toColumns([values]), [attempts]);

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const columns = toColumns(batch.map(({ values }) => values));
      const attempts = batch.map((each) => each.attempts);
      const found = batch.map((): object[] => []);
      for (const row of await send(columns, attempts)) {
        found[(row as { n: number }).n - 1]?.push(row);
      }
      for (const [index, { resolve }] of batch.entries()) resolve(found[index] ?? []);
    } catch (error) {
      if (batch.length === 1) return batch[0]?.reject(error);
      // One statement failed the batch, or the earliest deadline passed: give each its own outcome.
      for (const { values, attempts, resolve, reject } of batch) {
        await alone(values, attempts).then(resolve, reject);
      }
    }
  }

  function next(): void {
    while (waiting.length > 0 && inFlight < IN_FLIGHT_MAX) {
      inFlight++;
      void sendBatch(waiting.splice(0, nextBatchSize(waiting, statement))).finally(() => {
        inFlight--;
        next();
      });
    }
  }

  if (statement.batchMax === 1) return alone;
  return (values, attempts) =>
    new Promise((resolve, reject) => {
      waiting.push({ values, attempts, resolve, reject });
      // Batch what arrives in this turn of the event loop.
      if (waiting.length === 1) setImmediate(next);
    });
}

/** Bodies are joined: JSON text can't contain the separator, and array syntax would escape every quote. */
const SEPARATOR = '\x1e';

function columnsOf({ text }: Statement) {
  const joined = new Set(
    Array.from(text.matchAll(/string_to_array\(\$(\d+)/g), ([, index]) => Number(index) - 1),
  );
  return (batch: readonly (readonly unknown[])[]): unknown[] =>
    (batch[0] ?? []).map((_, index) => {
      const column = batch.map((values) => values[index]);
      return joined.has(index) ? column.join(SEPARATOR) : column;
    });
}

/** How many of the waiting statements form the next batch. */
function nextBatchSize(waiting: readonly Waiting[], { batchMax }: Statement): number {
  let characters = 0;
  for (const [index, { values }] of waiting.entries()) {
    for (const value of values) if (typeof value === 'string') characters += value.length;
    if (index > 0 && (index === batchMax || characters > CHARACTERS_MAX)) return index;
  }
  return waiting.length;
}

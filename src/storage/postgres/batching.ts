// Batches concurrent statements of one kind, so that each costs a fraction and writes share a commit. A batch
// is all or nothing; if it is refused, its statements are sent one by one. Also limits an account's concurrency.

import type { Attempts } from './database.js';
import type { Statement } from './statements.js';

/** While this many batches are in flight, further statements wait for the next one. */
const IN_FLIGHT_MAX = 2;
/** Total length of a batch's texts; a longer statement is sent alone. */
const CHARACTERS_MAX = 1_000_000;
/** Bodies are joined: JSON text can't contain the separator, and array syntax would escape every quote. */
const SEPARATOR = '\x1e';

type Rows = readonly object[];
type Send = (columns: readonly unknown[], batch: readonly Attempts[]) => Promise<Rows>;
export type RunStatement = (values: readonly unknown[], attempts: Attempts) => Promise<Rows>;

interface Waiting {
  readonly values: readonly unknown[];
  readonly attempts: Attempts;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs the statement for its callers, in batches of at most its `batchMax`. */
export function batched({ text, batchMax }: Statement, send: Send): RunStatement {
  const waiting: Waiting[] = [];
  let inFlight = 0;

  const joined = Array.from(text.matchAll(/string_to_array\(\$(\d+)/g), ([, at]) => Number(at) - 1);
  const sendColumns = (batch: readonly Pick<Waiting, 'values' | 'attempts'>[]) => {
    const columns = batch[0]?.values.map((_, index) => {
      const column = batch.map(({ values }) => values[index]);
      return joined.includes(index) ? column.join(SEPARATOR) : column;
    });
    const attempts = batch.map((each) => each.attempts);
    return send(columns ?? [], attempts);
  };
  const sendOne: RunStatement = (values, attempts) => sendColumns([{ values, attempts }]);

  async function sendBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const found = batch.map((): object[] => []);
      for (const row of await sendColumns(batch)) found[(row as { n: number }).n - 1]?.push(row);
      for (const [index, { resolve }] of batch.entries()) resolve(found[index] ?? []);
    } catch (error) {
      if (batch.length === 1) return batch[0]?.reject(error);
      // One statement failed the batch, or the earliest deadline passed: give each its own outcome.
      for (const { values, attempts, resolve, reject } of batch) {
        await sendOne(values, attempts).then(resolve, reject);
      }
    }
  }

  function nextBatch(): Waiting[] {
    let characters = 0;
    const end = waiting.findIndex(({ values }, index) => {
      for (const value of values) if (typeof value === 'string') characters += value.length;
      return index > 0 && (index === batchMax || characters > CHARACTERS_MAX);
    });
    return waiting.splice(0, end === -1 ? waiting.length : end);
  }

  function next(): void {
    while (waiting.length > 0 && inFlight < IN_FLIGHT_MAX) {
      inFlight++;
      void sendBatch(nextBatch()).finally(() => {
        inFlight--;
        next();
      });
    }
  }

  if (batchMax === 1) return sendOne;
  return (values, attempts) =>
    new Promise((resolve, reject) => {
      waiting.push({ values, attempts, resolve, reject });
      // Batches what arrives in this turn of the event loop.
      if (waiting.length === 1) setImmediate(next);
    });
}

/** Runs `act` when fewer than `max` with the same key are running. The key is an account, or a record, whose PATCHes then rarely have to retry. */
export function keyedSemaphore() {
  const keys = new Map<string, { running: number; waiting: (() => void)[] }>();
  return async <T>(key: string, max: number, act: () => Promise<T>): Promise<T> => {
    const held = keys.get(key) ?? { running: 0, waiting: [] };
    keys.set(key, held);
    if (held.running < max) held.running++;
    else await new Promise<void>((resolve) => held.waiting.push(resolve));
    try {
      return await act();
    } finally {
      const next = held.waiting.shift();
      if (next !== undefined) next();
      else if (--held.running === 0) keys.delete(key);
    }
  };
}

// Statements of one kind that wait for the same moment go to Postgres as one: its cost for each is
// a fraction, and writes share a commit. It is all or nothing; where it is refused, each goes alone.

import { failureIn } from '../../core/domain/errors.js';
import { AlreadyStored, type Answered, type Statement, Unknown } from './statement.js';

/** While these are under way, the next ones gather. */
const UNDER_WAY_MAX = 2;
const STATEMENTS_MAX = 100;
/** Of bodies: one that is longer goes alone. */
const CHARACTERS_MAX = 1_000_000;

type RunOne = (statement: Statement, values: readonly unknown[]) => Promise<Answered<object>>;

interface Waiting {
  readonly values: readonly unknown[];
  readonly resolve: (answered: Answered<object>) => void;
  readonly reject: (error: unknown) => void;
}

export class Gathering {
  readonly #alone: Statement;
  readonly #together: Statement;
  /** The first values are those that go together; the others are the same for all that do. */
  readonly #columns: number;
  readonly #run: RunOne;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #isWoken = false;

  constructor(alone: Statement, run: RunOne) {
    this.#alone = alone;
    this.#together = { name: `${alone.name}_together`, text: alone.together ?? '' };
    const places = [...this.#together.text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place));
    this.#columns = Math.max(...places);
    this.#run = run;
  }

  add(values: readonly unknown[]): Promise<Answered<object>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values, resolve, reject });
      if (this.#isWoken) return;
      this.#isWoken = true;
      // Requests that arrived in this turn of the loop are of the same moment.
      setImmediate(() => {
        this.#isWoken = false;
        this.#next();
      });
    });
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#underWay < UNDER_WAY_MAX) {
      const group = this.#waiting.splice(0, firstTogether(this.#waiting));
      this.#underWay++;
      void this.#send(group).finally(() => {
        this.#underWay--;
        this.#next();
      });
    }
  }

  async #send(group: readonly Waiting[]): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    if (group.length === 1) {
      await this.#run(this.#alone, first.values).then(first.resolve, first.reject);
      return;
    }
    const columns = Array.from({ length: this.#columns }, (_, place) =>
      group.map(({ values }) => values[place]),
    );
    try {
      const { rows, wasLost } = await this.#run(this.#together, columns);
      const found = new Map<number, object[]>();
      for (const row of rows as readonly { n: string }[]) {
        const mine = found.get(Number(row.n));
        if (mine === undefined) found.set(Number(row.n), [row]);
        else mine.push(row);
      }
      for (const [place, { resolve }] of group.entries()) {
        resolve({ rows: found.get(place + 1) ?? [], wasLost });
      }
    } catch (error) {
      const isOfAll = error instanceof Unknown || error instanceof AlreadyStored;
      if (isOfAll || failureIn(error) !== undefined) {
        for (const { reject } of group) reject(error);
        return;
      }
      // One of them is why, or two groups waited for each other: alone, each has its own outcome.
      for (const { values, resolve, reject } of group) {
        await this.#run(this.#alone, values).then(resolve, reject);
      }
    }
  }
}

/** How many of the first ones go together. */
function firstTogether(waiting: readonly Waiting[]): number {
  let characters = 0;
  for (const [place, { values }] of waiting.entries()) {
    for (const value of values) if (typeof value === 'string') characters += value.length;
    if (place > 0 && (place === STATEMENTS_MAX || characters > CHARACTERS_MAX)) return place;
  }
  return waiting.length;
}

// The ledger: every change that a client sent, and its outcome as far as the client knows.
// Compared with the stored records it finds everything that was lost or damaged.

import { isDeepStrictEqual } from 'node:util';

export type Properties = Readonly<Record<string, unknown>>;

export type StoredRow = { collection: string; body: Properties & { id: string } };

export type StoredEvent = {
  action: string;
  resource: string;
  record_id: string;
  owner_sub: string;
  changed: readonly string[];
};

/** One record and all changes of it. */
export interface Entry {
  /** The value of a property that only this record has. */
  mark: string;
  /** The number of the one worker that changes it, one change at a time. */
  worker: number;
  owner: string;
  collection: string;
  /** undefined until the create is answered. */
  id: string | undefined;
  changes: LedgerChange[];
}

export interface LedgerChange {
  number: number;
  entry: Entry;
  action: 'create' | 'update' | 'delete';
  byOperator: boolean;
  /** The names that its audit event must list. */
  changed: readonly string[];
  /** The record after the change, without its id; undefined after a delete. */
  after: Properties | undefined;
  isAcknowledged: boolean;
}

/** What can differ between the stored and the acknowledged records. Every number must be 0. */
const NOTHING = {
  'acknowledged lost': 0,
  'deleted back': 0,
  /** Stored records that equal no version that was sent. */
  torn: 0,
  /** Records stored twice, or under the id of another record. */
  duplicates: 0,
  /** Audit events without a change, and changes without an audit event. */
  'audit events wrong': 0,
};
type Kind = keyof typeof NOTHING;

export class Differences {
  readonly #counts = { ...NOTHING };

  get count(): number {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
  }

  found(kind: Kind, times = 1): void {
    this.#counts[kind] += times;
  }

  add(more: Differences): void {
    for (const [kind, count] of Object.entries(more.#counts)) this.found(kind as Kind, count);
  }

  toString(): string {
    return Object.entries(this.#counts)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ');
  }
}

export class Ledger {
  #entries: Map<string, Entry> = new Map();
  #marks = 0;
  #begun = 0;
  /** The number of acknowledged changes. */
  acknowledged = 0;

  /** Adds a record that is about to be created. */
  newEntry(worker: number, owner: string, collection: string) {
    const mark = `mark-${++this.#marks}`;
    const entry: Entry = { mark, worker, owner, collection, id: undefined, changes: [] };
    this.#entries.set(mark, entry);
    return entry;
  }

  /** Adds a change. Call it before the change is sent. */
  begin(change: Omit<LedgerChange, 'number' | 'isAcknowledged'>) {
    const begun: LedgerChange = { ...change, number: ++this.#begun, isAcknowledged: false };
    change.entry.changes.push(begun);
    return begun;
  }

  acknowledge(change: LedgerChange, id: string) {
    change.isAcknowledged = true;
    this.acknowledged++;
    change.entry.id = id;
  }

  /** The worker's records that certainly exist, without a change under way. */
  live(worker: number) {
    return [...this.#entries.values()].filter((entry) => {
      const { certain, possible } = statesOf(entry);
      return entry.worker === worker && certain !== undefined && possible === undefined;
    });
  }

  /** The record's properties after its last acknowledged change. */
  bodyOf(entry: Entry) {
    return statesOf(entry).certain ?? {};
  }

  /**
   * Compares the ledger with the stored rows and events. `isAcknowledged` tells whether a
   * change was acknowledged at the moment in question. Changes after the first one that was
   * not acknowledged were not sent at that moment.
   */
  compare(
    rows: readonly StoredRow[],
    events: readonly StoredEvent[],
    isAcknowledged: (change: LedgerChange) => boolean = wasAcknowledged,
  ) {
    const differences = new Differences();
    const found = this.#byMark(rows, differences);
    const expectedEvents: string[] = [];
    for (const entry of this.#entries.values()) {
      const states = statesOf(entry, isAcknowledged);
      const row = found.get(entry.mark);
      const verdict = judge(entry, states, row);
      if (verdict !== undefined) differences.found(verdict);
      const happened = states.happened.slice();
      if (states.possible !== undefined && !isState(row, states.certain)) {
        happened.push(states.possible);
      }
      const id = entry.id ?? row?.body.id;
      for (const change of happened) {
        if (!change.byOperator) continue;
        const { action, changed } = change;
        const event = { action, resource: entry.collection, owner_sub: entry.owner, changed };
        expectedEvents.push(eventText({ ...event, record_id: String(id) }));
      }
    }
    differences.found('audit events wrong', mismatches(expectedEvents, events.map(eventText)));
    return differences;
  }

  #byMark(rows: readonly StoredRow[], differences: Differences) {
    const found: Map<string, StoredRow> = new Map();
    const ids = new Set();
    for (const row of rows) {
      const mark = String(row.body['mark']);
      const name = `${row.collection}/${row.body.id}`;
      if (found.has(mark) || ids.has(name)) differences.found('duplicates');
      if (!this.#entries.has(mark)) differences.found('torn');
      found.set(mark, row);
      ids.add(name);
    }
    return found;
  }
}

/** The state that the record must have, and the one that it may have instead. */
function statesOf(entry: Entry, isAcknowledged = wasAcknowledged) {
  const happened: LedgerChange[] = [];
  let possible: LedgerChange | undefined;
  for (const change of entry.changes) {
    if (!isAcknowledged(change)) {
      possible = change;
      break;
    }
    happened.push(change);
  }
  return { happened, certain: happened.at(-1)?.after, possible };
}

function judge(
  entry: Entry,
  { happened, certain, possible }: ReturnType<typeof statesOf>,
  row: StoredRow | undefined,
): Kind | undefined {
  if (!hasItsPlace(row, entry, certain)) return 'torn';
  if (isState(row, certain)) return undefined;
  if (possible !== undefined && isState(row, possible.after)) return undefined;
  if (row === undefined) return 'acknowledged lost';
  if (certain === undefined && happened.length > 0) return 'deleted back';
  return happened.some(({ after }) => isState(row, after)) ? 'acknowledged lost' : 'torn';
}

/** Whether the row is in its collection, and under its id when the client knows that. */
function hasItsPlace(row: StoredRow | undefined, entry: Entry, certain: Properties | undefined) {
  if (row === undefined) return true;
  if (row.collection !== entry.collection) return false;
  return certain === undefined || entry.id === undefined || row.body.id === entry.id;
}

function isState(row: StoredRow | undefined, state: Properties | undefined) {
  if (row === undefined || state === undefined)
    return (row === undefined) === (state === undefined);
  const { id: _, ...properties } = row.body;
  return isDeepStrictEqual(properties, state);
}

function wasAcknowledged({ isAcknowledged }: LedgerChange) {
  return isAcknowledged;
}

function eventText({ action, resource, record_id, owner_sub, changed }: StoredEvent) {
  return [action, resource, record_id, owner_sub, ...changed.toSorted()].join(' ');
}

/** The number of texts that only one of the lists has, with repetitions. */
function mismatches(wanted: readonly string[], given: readonly string[]) {
  const counts: Map<string, number> = new Map();
  for (const text of wanted) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of given) counts.set(text, (counts.get(text) ?? 0) - 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

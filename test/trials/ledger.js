// The client's side of the truth: everything that was asked for, and what came
// of it as far as the client knows. A change has one of three outcomes.

import { isDeepStrictEqual } from 'node:util';

/**
 * @typedef {Readonly<Record<string, unknown>>} Properties
 * @typedef {{ collection: string, body: Properties & { id: string } }} StoredRow
 * @typedef {{ action: string, resource: string, record_id: string, owner_sub: string, changed: readonly string[] }} StoredEvent
 *
 * @typedef {object} Entry One record from its creation on.
 * @property {string} mark A property of the record that no other has.
 * @property {number} hand Who alone works on it, one change at a time.
 * @property {string} owner
 * @property {string} collection
 * @property {string | undefined} id Once it is known.
 * @property {LedgerChange[]} changes
 *
 * @typedef {object} LedgerChange
 * @property {number} number
 * @property {Entry} entry
 * @property {'create' | 'update' | 'delete'} action
 * @property {boolean} byOperator
 * @property {readonly string[]} changed What its audit event has to name.
 * @property {Properties | undefined} after The record without its id; undefined: gone.
 * @property {'unknown' | 'acknowledged' | 'refused'} outcome
 */

/** How what is stored differs from what was acknowledged; every number must be 0. */
export class Differences {
  /** Acknowledged, and not there, or there as it was before. */
  lost = 0;
  /** Deleted, and there again. */
  back = 0;
  /** There as nobody ever wrote it. */
  torn = 0;
  /** There twice, or under the id of another. */
  duplicate = 0;
  /** An audit event without its change, or a change without its event. */
  audit = 0;

  get count() {
    return this.lost + this.back + this.torn + this.duplicate + this.audit;
  }

  add(/** @type {Differences} */ more) {
    for (const name of NAMES) this[name] += more[name];
  }

  toString() {
    return NAMES.map((name) => `${this[name]} ${WORDS[name]}`).join(', ');
  }
}

const WORDS = {
  lost: 'acknowledged lost',
  back: 'deleted back',
  torn: 'torn',
  duplicate: 'duplicates',
  audit: 'audit events amiss',
};
const NAMES = /** @type {(keyof typeof WORDS)[]} */ (Object.keys(WORDS));

export class Ledger {
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  /** @type {LedgerChange[]} */
  #changes = [];
  /** Ids that a record has now, as far as is known. @type {Set<string>} */
  #liveIds = new Set();
  #marks = 0;
  #begun = 0;
  /** Of changes that are forgotten. */
  #forgotten = { acknowledged: 0, refused: 0, unknown: 0 };
  /** Creates that were given the id of a record that still had it. */
  reusedIds = 0;

  /** A record that is about to be created. */
  newEntry(
    /** @type {number} */ hand,
    /** @type {string} */ owner,
    /** @type {string} */ collection,
  ) {
    const mark = `mark-${++this.#marks}`;
    /** @type {Entry} */
    const entry = { mark, hand, owner, collection, id: undefined, changes: [] };
    this.#entries.set(mark, entry);
    return entry;
  }

  /** To be called before the change is sent. */
  begin(/** @type {Omit<LedgerChange, 'number' | 'outcome'>} */ change) {
    /** @type {LedgerChange} */
    const begun = { ...change, number: ++this.#begun, outcome: 'unknown' };
    this.#changes.push(begun);
    change.entry.changes.push(begun);
    return begun;
  }

  acknowledge(/** @type {LedgerChange} */ change, /** @type {string} */ id) {
    change.outcome = 'acknowledged';
    const { entry, action } = change;
    const name = `${entry.collection}/${id}`;
    if (action === 'create' && this.#liveIds.has(name)) this.reusedIds++;
    if (action === 'delete') this.#liveIds.delete(name);
    else this.#liveIds.add(name);
    entry.id = id;
  }

  refuse(/** @type {LedgerChange} */ change) {
    change.outcome = 'refused';
  }

  /** Records that are there for certain, with nothing under way. */
  live(/** @type {number} */ hand) {
    return [...this.#entries.values()].filter((entry) => {
      const { certain, possible } = statesOf(entry);
      return entry.hand === hand && certain !== undefined && possible === undefined;
    });
  }

  /** The record as it is known to be. */
  bodyOf(/** @type {Entry} */ entry) {
    return statesOf(entry).certain ?? {};
  }

  /** Keeps of each record only what it is now, so that a long run fits into memory; audit events cannot be compared any more. */
  forgetHistory() {
    for (const entry of this.#entries.values()) {
      const { happened, certain, possible } = statesOf(entry);
      const last = happened.at(-1);
      if (possible !== undefined || last === undefined) continue;
      if (certain === undefined) this.#entries.delete(entry.mark);
      else entry.changes = [last];
    }
    const kept = new Set([...this.#entries.values()].flatMap(({ changes }) => changes));
    for (const change of this.#changes) if (!kept.has(change)) this.#forgotten[change.outcome]++;
    this.#changes = this.#changes.filter((change) => kept.has(change));
  }

  /** How many changes there are of each outcome. */
  get outcomes() {
    const counts = { ...this.#forgotten };
    for (const { outcome } of this.#changes) counts[outcome]++;
    return counts;
  }

  /**
   * Compares with what is stored. `isAcknowledged` says what was acknowledged
   * at the moment that is looked at; changes behind the first that was not
   * were not even sent.
   */
  compare(
    /** @type {readonly StoredRow[]} */ rows,
    /** @type {readonly StoredEvent[]} */ events,
    /** @type {(change: LedgerChange) => boolean} */ isAcknowledged = wasAcknowledged,
  ) {
    const differences = new Differences();
    const found = this.#byMark(rows, differences);
    /** @type {string[]} */
    const expectedEvents = [];
    for (const entry of this.#entries.values()) {
      const states = statesOf(entry, isAcknowledged);
      const row = found.get(entry.mark);
      const verdict = judge(entry, states, row);
      if (verdict !== undefined) differences[verdict]++;
      const happened = states.happened.slice();
      if (states.possible !== undefined && !isState(row, states.certain)) {
        happened.push(states.possible);
      }
      const id = entry.id ?? row?.body.id;
      for (const change of happened) {
        if (change.byOperator) expectedEvents.push(eventText(eventOf(change, String(id))));
      }
    }
    differences.audit = amiss(expectedEvents, events.map(eventText));
    return differences;
  }

  /** Takes what is stored for the truth about every change whose outcome is unknown. */
  settle(/** @type {readonly StoredRow[]} */ rows) {
    const found = this.#byMark(rows, new Differences());
    for (const entry of this.#entries.values()) {
      const { certain, possible } = statesOf(entry);
      if (possible === undefined) continue;
      const row = found.get(entry.mark);
      const id = row?.body.id ?? entry.id;
      if (isState(row, certain) || id === undefined) this.refuse(possible);
      else this.acknowledge(possible, id);
    }
  }

  #byMark(/** @type {readonly StoredRow[]} */ rows, /** @type {Differences} */ differences) {
    /** @type {Map<string, StoredRow>} */
    const found = new Map();
    const ids = new Set();
    for (const row of rows) {
      const mark = String(row.body['mark']);
      const name = `${row.collection}/${row.body.id}`;
      if (found.has(mark) || ids.has(name)) differences.duplicate++;
      if (!this.#entries.has(mark)) differences.torn++;
      found.set(mark, row);
      ids.add(name);
    }
    return found;
  }
}

/** What a record must be, and what else it may be. */
function statesOf(/** @type {Entry} */ entry, isAcknowledged = wasAcknowledged) {
  /** @type {LedgerChange[]} */
  const happened = [];
  /** @type {LedgerChange | undefined} */
  let possible;
  for (const change of entry.changes) {
    if (change.outcome === 'refused') continue;
    if (!isAcknowledged(change)) {
      possible = change;
      break;
    }
    happened.push(change);
  }
  return { happened, certain: happened.at(-1)?.after, possible };
}

/** @returns {'lost' | 'back' | 'torn' | undefined} */
function judge(
  /** @type {Entry} */ entry,
  /** @type {ReturnType<typeof statesOf>} */ { happened, certain, possible },
  /** @type {StoredRow | undefined} */ row,
) {
  if (!hasItsPlace(row, entry, certain)) return 'torn';
  if (isState(row, certain)) return undefined;
  if (possible !== undefined && isState(row, possible.after)) return undefined;
  if (row === undefined) return 'lost';
  if (certain === undefined && happened.length > 0) return 'back';
  return happened.some(({ after }) => isState(row, after)) ? 'lost' : 'torn';
}

/** In its collection, and under the id that was acknowledged; an answer that never arrived has told none. */
function hasItsPlace(
  /** @type {StoredRow | undefined} */ row,
  /** @type {Entry} */ entry,
  /** @type {Properties | undefined} */ certain,
) {
  if (row === undefined) return true;
  if (row.collection !== entry.collection) return false;
  return certain === undefined || entry.id === undefined || row.body.id === entry.id;
}

function isState(
  /** @type {StoredRow | undefined} */ row,
  /** @type {Properties | undefined} */ state,
) {
  if (row === undefined || state === undefined)
    return (row === undefined) === (state === undefined);
  const { id: _, ...properties } = row.body;
  return isDeepStrictEqual(properties, state);
}

function wasAcknowledged(/** @type {LedgerChange} */ { outcome }) {
  return outcome === 'acknowledged';
}

/** @returns {StoredEvent} */
function eventOf(/** @type {LedgerChange} */ { action, entry, changed }, /** @type {string} */ id) {
  const { collection, owner } = entry;
  return { action, resource: collection, record_id: id, owner_sub: owner, changed };
}

function eventText(/** @type {StoredEvent} */ { action, resource, record_id, owner_sub, changed }) {
  return [action, resource, record_id, owner_sub, ...changed.toSorted()].join(' ');
}

/** How many texts one list has that the other has not, counting repetitions. */
function amiss(/** @type {readonly string[]} */ wanted, /** @type {readonly string[]} */ given) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const text of wanted) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of given) counts.set(text, (counts.get(text) ?? 0) - 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

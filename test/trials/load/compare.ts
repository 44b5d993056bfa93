// Compares stored records and audit events with what the clients of a load recorded, and so finds
// everything that was lost or damaged. Each record has one client, which makes one change at a time.

import { isDeepStrictEqual } from 'node:util';
import type { Operation, Properties } from './recorder.js';

export interface StoredRow {
  readonly collection: string;
  readonly body: Properties & { readonly id: string };
}

export interface StoredEvent {
  readonly action: string;
  readonly resource: string;
  readonly record_id: string;
  readonly changed: readonly string[];
}

/**
 * What can differ. Torn: a stored record equals no version that was sent. Duplicates: it is stored twice, or
 * under the id of another one. Audit events: there is one without its change, or the reverse.
 */
const KINDS = ['acknowledged lost', 'deleted back', 'torn', 'duplicates', 'audit events'] as const;
export type Difference = (typeof KINDS)[number];

/** How many there are of each kind, such as `0 acknowledged lost, 1 deleted back, …`. */
export function counted(differences: readonly Difference[]): string {
  const countOf = (kind: Difference) => differences.filter((each) => each === kind).length;
  return KINDS.map((kind) => `${countOf(kind)} ${kind}`).join(', ');
}

/** The possible texts of a record, without its id, and of its audit events. */
interface State {
  readonly record: Properties | undefined;
  readonly events: readonly string[];
}

const ACTIONS: Readonly<Record<string, string>> = {
  create: 'create',
  patch: 'update',
  delete: 'delete',
};

/** `isAcknowledged`: whether a change was acknowledged by a given moment. */
export function compare(
  operations: readonly Operation[],
  rows: readonly StoredRow[],
  events: readonly StoredEvent[],
  isAcknowledged: (change: Operation) => boolean = ({ code }) => code !== 0,
): Difference[] {
  const differences: Difference[] = [];
  const chains = chainsOf(operations);
  const stored = grouped(rows, ({ body }) => String(body['mark']));
  const eventsOf = grouped(events, ({ resource, record_id }) => `${resource}/${record_id}`);
  for (const [mark, same] of stored) {
    if (!chains.has(mark)) differences.push(...same.map(() => 'torn' as const));
    else differences.push(...same.slice(1).map(() => 'duplicates' as const));
  }
  const byId = grouped(rows, ({ collection, body }) => `${collection}/${body.id}`);
  for (const same of byId.values()) {
    differences.push(...same.slice(1).map(() => 'duplicates' as const));
  }
  for (const [mark, chain] of chains) {
    const row = stored.get(mark)?.[0];
    const [{ coll = '', id = '' } = {}] = chain;
    const key = `${coll}/${id || row?.body.id}`;
    const found = {
      record: row && withoutId(row.body),
      events: (eventsOf.get(key) ?? []).map(({ action, changed }) => eventText(action, changed)),
    };
    eventsOf.delete(key);
    const isElsewhere = row !== undefined && `${row.collection}/${row.body.id}` !== key;
    const verdict = isElsewhere ? 'torn' : verdictOf(chain, found, isAcknowledged);
    if (verdict !== undefined) differences.push(verdict);
  }
  differences.push(...[...eventsOf.values()].flat().map(() => 'audit events' as const));
  return differences;
}

/** The changes of each record in order, by its mark: a property that only this record has. */
function chainsOf(operations: readonly Operation[]): Map<string, Operation[]> {
  const chains = new Map<string, Operation[]>();
  const byId = new Map<string, Operation[]>();
  for (const change of operations.toSorted((a, b) => a.number - b.number)) {
    const { kind, coll, id, body, code } = change;
    if (kind === 'create') {
      chains.set(String(body?.['mark']), [change]);
      if (code !== 0) byId.set(`${coll}/${id}`, chains.get(String(body?.['mark'])) ?? []);
    } else if (kind in ACTIONS && code !== 404) byId.get(`${coll}/${id}`)?.push(change);
  }
  return chains;
}

function verdictOf(
  chain: readonly Operation[],
  found: State,
  isAcknowledged: (change: Operation) => boolean,
): Difference | undefined {
  let states: readonly State[] = [{ record: undefined, events: [] }];
  const earlier: State[] = [];
  for (const change of chain) {
    earlier.push(...states);
    const changeable = states.filter(
      ({ record }) => record !== undefined || change.kind === 'create',
    );
    const next = changeable.map((state) => after(state, change));
    if (isAcknowledged(change)) states = next;
    else states = [...states, ...next];
    // Its client had sent nothing newer by then.
    if (!isAcknowledged(change) && change.code !== 0) break;
  }
  if (states.some((state) => isDeepStrictEqual(state, found))) return undefined;
  const isRecord = ({ record }: State) => isDeepStrictEqual(record, found.record);
  if (states.some(isRecord)) return 'audit events';
  if (found.record === undefined) return 'acknowledged lost';
  if (states.every(({ record }) => record === undefined)) return 'deleted back';
  return earlier.some(isRecord) ? 'acknowledged lost' : 'torn';
}

function after({ record, events }: State, change: Operation): State {
  const { kind, operator, who, body = {} } = change;
  const merged = kind === 'create' ? { owner_sub: who, ...body } : { ...record, ...body };
  const changed = Object.keys(body).filter(
    (name) => !isDeepStrictEqual(record?.[name], body[name]),
  );
  const event = eventText(ACTIONS[kind] ?? '', changed);
  return {
    record: kind === 'delete' ? undefined : merged,
    events: operator ? [...events, event] : events,
  };
}

function eventText(action: string, changed: readonly string[]): string {
  return [action, ...changed.toSorted()].join(' ');
}

function withoutId({ id: _, ...record }: Properties): Properties {
  return record;
}

function grouped<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  }
  return groups;
}

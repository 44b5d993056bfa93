// The properties of each collection as lists, pages and forms show them, from the table of
// collections. A form shows any others as JSON.

import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
} from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import { type JsonObject, type JsonValue, setOwn } from '../../core/domain/json.js';
import type { Property } from '../../core/domain/property.js';
import { cut } from '../data/failures.js';
import { numberText, shortText, timeText } from './formats.js';
import { PAYMENTS, type Tab } from './paths.js';

/** Where a record is. */
export interface RecordPlace {
  readonly account: string;
  readonly collection: CollectionName;
}

/** Above a list. */
export const HEADINGS = {
  ...byCollection((name) => COLLECTIONS[name].names.heading),
  payments: 'Payments',
};
const PAYMENT_COLUMNS = ['customer', 'status', 'method', 'amount', 'paid', 'due'];
/** Set by the service; no change alters them. */
const SERVICE_PROPERTIES: ReadonlySet<string> = new Set(['id', 'owner_sub', 'ownerSub']);
/** Properties that can serve as a record's name; the first one present does. */
const NAMING = new Set(['name', ...COLLECTION_NAMES.map((name) => COLLECTIONS[name].columns[0])]);
/** What an HTML form alters: CR, U+0000, half a surrogate pair. */
const LOST_IN_A_FIELD = /\r|\0|\p{Surrogate}/u;

const KNOWN = COLLECTION_NAMES.flatMap((name) => COLLECTIONS[name].properties);
const MONEY: ReadonlySet<string> = new Set([...namesOf('money'), 'due']);
const MOMENTS: ReadonlySet<string> = new Set(namesOf('moment'));
const LABELS: ReadonlyMap<string, string> = new Map([
  ...KNOWN.map(({ name, label }) => [name, label] as const),
  ['due', 'Due'],
  ['role', 'Role'],
]);

/** In the order of the form. */
export function fieldsOf(collection: CollectionName): readonly Property[] {
  return COLLECTIONS[collection].properties.filter(({ kind }) => kind !== 'object');
}

export function columnsOf(tab: Tab): readonly string[] {
  return tab === PAYMENTS ? PAYMENT_COLUMNS : COLLECTIONS[tab].columns;
}

/** The name itself if it isn't known. */
export function labelOf(name: string): string {
  return LABELS.get(name) ?? name;
}

export function isMoney(name: string): boolean {
  return MONEY.has(name);
}

/** The record's name; its id if it has none. */
export function nameOf(record: JsonObject): string {
  for (const property of NAMING) {
    const value = valueAt(record, property);
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return String(record['id'] ?? '');
}

export function valueAt(record: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** A value as a list or a record's page shows it. */
export function shownText(name: string, value: JsonValue | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && isMoney(name)) return numberText(value);
  const isMoment =
    MOMENTS.has(name) && typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
  return isMoment ? timeText(value) : shortText(value);
}

/** The value as the form's field shows it; undefined if a field can't show it without changing it. */
export function fieldText({ kind }: Property, value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return '';
  if (kind === 'number' || kind === 'money') {
    return typeof value === 'number' ? numberText(value) : undefined;
  }
  if (kind === 'flag') return typeof value === 'boolean' ? String(value) : undefined;
  return typeof value === 'string' && !LOST_IN_A_FIELD.test(value) ? value : undefined;
}

/** The properties of a record, without those of the service and those in `names`. */
export function propertiesBut(record: JsonObject, names: ReadonlySet<string>): JsonObject {
  const rest: JsonObject = {};
  for (const [name, value] of Object.entries(record)) {
    if (!names.has(name) && !SERVICE_PROPERTIES.has(name)) setOwn(rest, name, value);
  }
  return rest;
}

export function isOfService(name: string): boolean {
  return SERVICE_PROPERTIES.has(name);
}

export function jsonText(value: JsonValue | undefined, maxCharacters = 200): string {
  return value === undefined ? 'not set' : cut(JSON.stringify(value), maxCharacters);
}

function namesOf(wanted: Property['kind']): string[] {
  return KNOWN.filter(({ kind }) => kind === wanted).map(({ name }) => name);
}

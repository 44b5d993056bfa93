// How lists, pages and forms show the properties of each collection. Derived from the table of
// collections.

import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
} from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import type { Property } from '../../core/domain/property.js';
import { truncate } from '../data/errors.js';
import { numberText, shortText, timeText } from './formats.js';
import { PAYMENTS, type Tab } from './paths.js';

/** The account and collection that a record belongs to. */
export interface RecordScope {
  readonly account: string;
  readonly collection: CollectionName;
}

export const HEADINGS = {
  ...byCollection((name) => COLLECTIONS[name].names.heading),
  payments: 'Payments',
};
const PAYMENT_COLUMNS = ['customer', 'status', 'method', 'amount', 'paid', 'due'] as const;
/** Set by the service; a change can't alter them. */
const SERVICE_PROPERTIES: ReadonlySet<string> = new Set(['id', 'owner_sub', 'ownerSub']);
/** Characters that an HTML form changes: CR, U+0000, half a surrogate pair. */
const LOST_IN_A_FIELD = /\r|\0|\p{Surrogate}/u;

/** A name means the same in every collection. Payments have `due`; many team members have a `role`. */
const KNOWN = new Map<string, Pick<Property, 'label' | 'kind'>>([
  ...COLLECTION_NAMES.flatMap((name) => COLLECTIONS[name].properties).map(
    (property) => [property.name, property] as const,
  ),
  ['due', { label: 'Due', kind: 'money' }],
  ['role', { label: 'Role', kind: 'text' }],
]);

/** In the order of the form. */
export function fieldsOf(collection: CollectionName): readonly Property[] {
  return COLLECTIONS[collection].properties.filter(({ kind }) => kind !== 'object');
}

/** The first column is the record's name. */
export function columnsOf(tab: Tab): readonly [string, ...string[]] {
  return tab === PAYMENTS ? PAYMENT_COLUMNS : COLLECTIONS[tab].columns;
}

/** The name itself if it isn't known. */
export function labelOf(name: string): string {
  return KNOWN.get(name)?.label ?? name;
}

export function isMoney(name: string): boolean {
  return KNOWN.get(name)?.kind === 'money';
}

export function valueAt(record: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** A value as a list or a record's page shows it. */
export function shownText(name: string, value: JsonValue | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && isMoney(name)) return numberText(value);
  const isMoment = KNOWN.get(name)?.kind === 'moment' && /^\d{4}-\d\d-\d\dT/.test(String(value));
  return isMoment ? timeText(String(value)) : shortText(value);
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

/** A record without the service's properties and those in `names`. */
export function propertiesBut(record: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => !names.has(name) && !isOfService(name)),
  );
}

export function isOfService(name: string): boolean {
  return SERVICE_PROPERTIES.has(name);
}

export function jsonText(value: JsonValue | undefined, maxCharacters = 200): string {
  return value === undefined ? 'not set' : truncate(JSON.stringify(value), maxCharacters);
}

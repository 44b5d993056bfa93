// The properties of each collection that forms and lists show, from the table of
// collections. A record may have any others: those are in its JSON.

import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
} from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/domain/json.js';
import type { PropertyKind as ValueKind } from '../../core/domain/property.js';
import { textOfNumber } from '../data/number-text.js';
import { PAYMENTS, type Tab } from './paths.js';

export type PropertyKind = 'text' | 'date' | 'number' | 'flag';

export interface Property {
  readonly name: string;
  readonly kind: PropertyKind;
  /** The service refuses a record without it. */
  readonly isRequired: boolean;
}

/** What is typed into a field; undefined: no field can show it. */
const FIELDS: Readonly<Record<ValueKind, PropertyKind | undefined>> = {
  text: 'text',
  moment: 'date',
  number: 'number',
  money: 'number',
  flag: 'flag',
  object: undefined,
};

const PROPERTIES = byCollection(fieldsOf);
const PAYMENT_COLUMNS = ['customer', 'status', 'method', 'amount', 'paid', 'due'];

const KNOWN = COLLECTION_NAMES.flatMap((name) => COLLECTIONS[name].properties);
/** Columns of money, on the right. */
const AMOUNTS: ReadonlySet<string> = new Set([...namesOf('money'), 'due']);
const MOMENTS: ReadonlySet<string> = new Set(namesOf('moment'));
/** Those of the collections, and two more: one of payments, one that a list of the team shows. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ...KNOWN.filter(({ kind }) => FIELDS[kind] !== undefined).map(
    ({ name, label }) => [name, label] as const,
  ),
  ['due', 'Due'],
  ['role', 'Role'],
]);
/** Properties that the service sets, and that no change can alter. */
export const SERVICE_PROPERTIES: ReadonlySet<string> = new Set(['id', 'owner_sub', 'ownerSub']);
/** Which property names a record to a person, the first that it has. */
const NAMING = new Set(['name', ...COLLECTION_NAMES.map((name) => COLLECTIONS[name].columns[0])]);

/** In the order of the form. */
export function propertiesOf(collection: CollectionName): readonly Property[] {
  return PROPERTIES[collection];
}

export function columnsOf(tab: Tab): readonly string[] {
  return tab === PAYMENTS ? PAYMENT_COLUMNS : COLLECTIONS[tab].columns;
}

/** The words above a property; its name where it is not known. */
export function labelOf(name: string): string {
  return LABELS.get(name) ?? name;
}

export function isAmount(column: string): boolean {
  return AMOUNTS.has(column);
}

/** Whether a value is a day and time by agreement. Other texts, such as `2026-01-08`, stay as they are. */
export function isMoment(column: string, value: JsonValue | undefined): value is string {
  return MOMENTS.has(column) && typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
}

/** The record's name for a person; its id when it has no name. */
export function nameOf(record: JsonObject): string {
  for (const property of NAMING) {
    const value = Object.hasOwn(record, property) ? record[property] : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return String(record['id'] ?? '');
}

/**
 * The value as the form's field shows it; undefined where a field cannot show it
 * without changing it, such as a number where a text is usual.
 */
export function fieldText({ kind }: Property, value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return '';
  if (kind === 'number') {
    return typeof value === 'number' ? textOfNumber(value, '.') : undefined;
  }
  if (kind !== 'flag') return typeof value === 'string' ? value : undefined;
  return typeof value === 'boolean' ? String(value) : undefined;
}

export function parsedObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function fieldsOf(collection: CollectionName): readonly Property[] {
  const { properties, formStart = [] } = COLLECTIONS[collection];
  const fields = properties.flatMap(({ name, kind, isRequired }) => {
    const field = FIELDS[kind];
    return field === undefined ? [] : [{ name, kind: field, isRequired }];
  });
  const placeOf = ({ name }: Property) =>
    formStart.includes(name) ? formStart.indexOf(name) : formStart.length;
  return fields.sort((a, b) => placeOf(a) - placeOf(b));
}

function namesOf(wanted: ValueKind): string[] {
  return KNOWN.filter(({ kind }) => kind === wanted).map(({ name }) => name);
}

// The properties of each collection that forms and lists show. A record may have
// any others: those are in its JSON.

import type { CollectionName } from '../domain/collection-name.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.js';
import type { Tab } from './paths.js';

export type PropertyKind = 'text' | 'number' | 'flag';

export interface Property {
  readonly name: string;
  readonly kind: PropertyKind;
  /** The service refuses a record without it. */
  readonly isRequired: boolean;
}

/** `*` behind a name: required; `#`: a number; `?`: true or false. */
const TABLE: Readonly<Record<CollectionName, string>> = {
  businesses: 'businessName phone primaryTemplate templateVersion# createdAt',
  customers: 'name* phone* email location',
  services: 'name* price#* currency active? category duration',
  orders: 'customer* service* amount#* paid# currency status method date assignee phone templateId',
  team: 'name* phone*',
  expenses: 'description* category* amount#* date* method',
};

const COLUMNS: Readonly<Record<Tab, string>> = {
  businesses: 'businessName phone primaryTemplate createdAt',
  customers: 'name phone location email',
  services: 'name category duration active price',
  orders: 'customer service status date amount paid',
  team: 'name phone role',
  expenses: 'description category date method amount',
  payments: 'customer status method amount paid due',
};

/** Columns of money, on the right. */
const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'paid', 'due', 'price']);
const MOMENTS: ReadonlySet<string> = new Set(['date', 'createdAt']);
/** Properties that the service sets, and that no change can alter. */
export const SERVICE_PROPERTIES: ReadonlySet<string> = new Set(['id', 'owner_sub', 'ownerSub']);
/** Which property names a record to a person, the first that it has. */
const NAMING = ['name', 'businessName', 'customer', 'description'];

export function propertiesOf(collection: CollectionName): readonly Property[] {
  return TABLE[collection].split(' ').map((entry) => ({
    name: entry.replace(/[#?*]/g, ''),
    kind: entry.includes('#') ? 'number' : entry.includes('?') ? 'flag' : 'text',
    isRequired: entry.includes('*'),
  }));
}

export function columnsOf(tab: Tab): readonly string[] {
  return COLUMNS[tab].split(' ');
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
  if (kind === 'text') return typeof value === 'string' ? value : undefined;
  if (kind === 'number') return typeof value === 'number' ? String(value) : undefined;
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

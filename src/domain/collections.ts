// The six editable collections: identifier, required properties, defaults.
// One table; the data API, the administration API and the stored ids all read it.

import * as z from 'zod';

const text = z.string().min(1);
const positive = z.number().gt(0);

/** A collection as the contract's two tables describe it ("Identifiers", "Fields and validation by collection"). */
export interface Collection {
  readonly name: CollectionName;
  readonly idPrefix: string;
  readonly idDigitsMin: number;
  /** Judges the contract's "required" properties; every other property is the caller's own. */
  readonly required: z.ZodObject;
  /** Set on create where the caller's record has no such property. */
  readonly defaults: Readonly<Record<string, string | number | boolean>>;
  /** Business profiles carry their owner twice: `owner_sub` and `ownerSub`. */
  readonly mirrorsOwner: boolean;
}

export const COLLECTION_NAMES = [
  'businesses',
  'customers',
  'services',
  'orders',
  'team',
  'expenses',
] as const;

export type CollectionName = (typeof COLLECTION_NAMES)[number];

export const DEFAULT_CURRENCY = 'TZS';

export const COLLECTIONS: Readonly<Record<CollectionName, Collection>> = {
  businesses: {
    name: 'businesses',
    idPrefix: 'BIZ-',
    idDigitsMin: 4,
    required: z.looseObject({}),
    defaults: {},
    mirrorsOwner: true,
  },
  customers: {
    name: 'customers',
    idPrefix: 'CUS-',
    idDigitsMin: 4,
    required: z.looseObject({ name: text, phone: text }),
    defaults: {},
    mirrorsOwner: false,
  },
  services: {
    name: 'services',
    idPrefix: 'SRV-',
    idDigitsMin: 2,
    required: z.looseObject({ name: text, price: positive }),
    defaults: { currency: DEFAULT_CURRENCY, active: true },
    mirrorsOwner: false,
  },
  orders: {
    name: 'orders',
    idPrefix: 'ORD-',
    idDigitsMin: 4,
    required: z.looseObject({ customer: text, service: text, amount: positive }),
    defaults: { status: 'New', paid: 0, currency: DEFAULT_CURRENCY },
    mirrorsOwner: false,
  },
  team: {
    name: 'team',
    idPrefix: 'TM-',
    idDigitsMin: 4,
    required: z.looseObject({ name: text, phone: text }),
    defaults: {},
    mirrorsOwner: false,
  },
  expenses: {
    name: 'expenses',
    idPrefix: 'EXP-',
    idDigitsMin: 4,
    required: z.looseObject({ description: text, category: text, date: text, amount: positive }),
    defaults: {},
    mirrorsOwner: false,
  },
};

export function isCollectionName(name: string): name is CollectionName {
  return Object.hasOwn(COLLECTIONS, name);
}

/** A value for each collection, in the contract's order. */
export function forEachCollection<T>(make: (name: CollectionName) => T): Record<CollectionName, T> {
  return {
    businesses: make('businesses'),
    customers: make('customers'),
    services: make('services'),
    orders: make('orders'),
    team: make('team'),
    expenses: make('expenses'),
  };
}

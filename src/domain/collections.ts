// The six editable collections: identifier, required properties, defaults.
// The data API, the administration API and the stored ids all read this table.
// References between collections are plain text: "They are not verified, not
// foreign keys, and nothing cascades on change or delete."

import * as z from 'zod';
import type { CollectionName } from './collection-name.js';

const text = z.string().min(1);
const positive = z.number().gt(0);

/** A collection as the contract's two tables describe it ("Identifiers", "Fields and validation by collection"). */
export interface Collection {
  readonly idPrefix: string;
  readonly idDigitsMin: number;
  /**
   * "Required on create (after merge on PATCH too)". The object is loose: "Unknown
   * properties are accepted and preserved."
   */
  readonly required: z.ZodObject;
  /** Set on create if the caller's record has no such property: "Default on create is `New`". */
  readonly defaults: Readonly<Record<string, string | number | boolean>>;
  /** "Business profiles also get `ownerSub` set to the same subject." */
  readonly mirrorsOwner: boolean;
}

export const DEFAULT_CURRENCY = 'TZS';

export const COLLECTIONS: Readonly<Record<CollectionName, Collection>> = {
  businesses: {
    idPrefix: 'BIZ-',
    idDigitsMin: 4,
    required: z.looseObject({}),
    defaults: {},
    mirrorsOwner: true,
  },
  customers: {
    idPrefix: 'CUS-',
    idDigitsMin: 4,
    required: z.looseObject({ name: text, phone: text }),
    defaults: {},
    mirrorsOwner: false,
  },
  services: {
    idPrefix: 'SRV-',
    idDigitsMin: 2,
    required: z.looseObject({ name: text, price: positive }),
    defaults: { currency: DEFAULT_CURRENCY, active: true },
    mirrorsOwner: false,
  },
  orders: {
    idPrefix: 'ORD-',
    idDigitsMin: 4,
    required: z.looseObject({ customer: text, service: text, amount: positive }),
    defaults: { status: 'New', paid: 0, currency: DEFAULT_CURRENCY },
    mirrorsOwner: false,
  },
  team: {
    idPrefix: 'TM-',
    idDigitsMin: 4,
    required: z.looseObject({ name: text, phone: text }),
    defaults: {},
    mirrorsOwner: false,
  },
  expenses: {
    idPrefix: 'EXP-',
    idDigitsMin: 4,
    required: z.looseObject({ description: text, category: text, date: text, amount: positive }),
    defaults: {},
    mirrorsOwner: false,
  },
};

// The kinds of properties that the table of collections is written with, and what its readers learn
// of a property: whether it is required, its default, its words.

import * as z from 'zod';

/** How a person reads and types a value. Money and moments are numbers and texts to the service. */
export type PropertyKind = 'text' | 'moment' | 'number' | 'money' | 'flag' | 'object';

/** A property on which programs agree. */
export interface Property {
  readonly name: string;
  readonly kind: PropertyKind;
  /** Above a field or a column: `Business name`. */
  readonly label: string;
  readonly description: string;
  /** The service refuses a record without it, or with another value than `schema` takes. */
  readonly isRequired: boolean;
  /** What the service sets on create where the caller sends no such property. */
  readonly default: string | number | boolean | undefined;
  readonly schema: z.ZodType;
  readonly rule: Rule | undefined;
}

/** What the value of a required property must be. Not left to its schema: zod takes 14 calls for a record. */
export interface Rule {
  readonly accepts: (value: unknown) => boolean;
  /** In the sentence of a refusal. */
  readonly wanted: string;
}

const NOT_EMPTY: Rule = {
  accepts: (value) => typeof value === 'string' && value !== '',
  wanted: 'a non-empty string',
};
const ABOVE_0: Rule = {
  accepts: (value) => typeof value === 'number' && value > 0,
  wanted: 'a number above 0',
};

type Unnamed = Omit<Property, 'name' | 'label'> & Partial<Pick<Property, 'label'>>;
type Given = Partial<Pick<Property, 'label' | 'default' | 'rule'>>;

const of =
  (kind: PropertyKind, schema: z.ZodType) =>
  (description: string, given: Given = {}): Unnamed => ({
    kind,
    description,
    isRequired: given.rule !== undefined,
    default: undefined,
    rule: undefined,
    schema: schema.meta({ ...schema.meta(), description }),
    ...given,
  });

export const text = of('text', z.string());
export const textOrNull = of('text', z.string().nullable());
export const number = of('number', z.number());
export const money = of('money', z.number());
export const flag = of('flag', z.boolean());
export const object = of('object', z.looseObject({}));

const isoText = of('moment', z.string().meta({ examples: ['2026-01-12T08:00:00Z'] }));
/** A text, because the service does not parse it. */
export const moment = (description: string) => isoText(`${description}; ISO 8601`);

export const nonEmptyText = (description: string, kind: PropertyKind = 'text') =>
  of(kind, z.string().min(1))(description, { rule: NOT_EMPTY });

const above0 = of('money', z.number().gt(0));
export const moneyAbove0 = (description: string) => above0(description, { rule: ABOVE_0 });

/** In the order of the table. A label that is not given is made of the name. */
export function propertiesIn(table: Readonly<Record<string, Unnamed>>): readonly Property[] {
  return Object.entries(table).map(([name, property]) => ({
    name,
    label: wordsOf(name),
    ...property,
  }));
}

/** `templateVersion` → `Template version`. */
function wordsOf(name: string): string {
  return capitalized(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

export function capitalized(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

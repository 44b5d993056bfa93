// The kinds of properties that the table of collections is written with, and what its readers learn
// of a property: its type, whether it is required, its default, its words.

import type { JsonObject } from './json.js';

/** How a person reads and types a value. Money and moments are numbers and texts to the service. */
export type PropertyKind = 'text' | 'moment' | 'number' | 'money' | 'flag' | 'object';

/** A property on which programs agree. */
export interface Property {
  readonly name: string;
  readonly kind: PropertyKind;
  /** Above a field or a column: `Business name`. */
  readonly label: string;
  readonly description: string;
  /** JSON Schema of the value; only a convention unless the property has a rule. */
  readonly schema: JsonObject;
  /** "Required on create (after merge on PATCH too)": the service refuses a record whose value breaks it. */
  readonly rule?: Rule | undefined;
  /** Set on create if the caller doesn't send the property. */
  readonly default?: string | number | boolean;
}

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

const of =
  (kind: PropertyKind, schema: JsonObject, rule?: Rule) =>
  (description: string, given: Partial<Pick<Property, 'label' | 'default'>> = {}) =>
    ({ kind, schema, rule, description, ...given }) as const;

const STRING = { type: 'string' };
const STRING_NOT_EMPTY = { ...STRING, minLength: 1 };
const NUMBER = { type: 'number', format: 'double' };

export const text = of('text', STRING);
/** A list of types instead of `anyOf`, because more generators of clients read it. */
export const textOrNull = of('text', { type: ['string', 'null'] });
export const nonEmptyText = of('text', STRING_NOT_EMPTY, NOT_EMPTY);
/** A text, because the service does not parse it. */
export const moment = of('moment', { ...STRING, examples: ['2026-01-12T08:00:00Z'] });
export const nonEmptyMoment = of('moment', STRING_NOT_EMPTY, NOT_EMPTY);
export const number = of('number', NUMBER);
export const money = of('money', NUMBER);
export const moneyAbove0 = of('money', { ...NUMBER, exclusiveMinimum: 0 }, ABOVE_0);
export const flag = of('flag', { type: 'boolean' });
/** Or null: otherwise some of them send `{}` with every change. */
export const object = of('object', { type: ['object', 'null'], additionalProperties: {} });

// The kinds of properties in the table of collections: type, rule, default and description.

import type { JsonObject } from './json.js';

/** How a form shows a value. To the service, money is a number and a moment is text. */
export type PropertyKind = 'text' | 'moment' | 'number' | 'money' | 'flag' | 'object';

/** A property that the service or its clients know. */
export interface Property {
  readonly name: string;
  readonly kind: PropertyKind;
  /** Label of a field or a column: `Business name`. */
  readonly label: string;
  readonly description: string;
  /** JSON Schema of the value; only a convention unless the property has a rule. */
  readonly schema: JsonObject;
  /** "Required on create (after merge on PATCH too)". */
  readonly rule?: Rule | undefined;
  /** Set on create if the caller doesn't send the property. */
  readonly default?: string | number | boolean;
}

export interface Rule {
  readonly accepts: (value: unknown) => boolean;
  /** In the message of a refusal. */
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

const property =
  (kind: PropertyKind, schema: JsonObject, rule?: Rule) =>
  (description: string, given: Partial<Pick<Property, 'label' | 'default'>> = {}) =>
    ({ kind, schema, rule, description, ...given }) as const;

const STRING = { type: 'string' };
const STRING_NOT_EMPTY = { ...STRING, minLength: 1 };
const NUMBER = { type: 'number', format: 'double' };

export const text = property('text', STRING);
/** A list of types instead of `anyOf`, because more client generators support it. */
export const textOrNull = property('text', { type: ['string', 'null'] });
export const nonEmptyText = property('text', STRING_NOT_EMPTY, NOT_EMPTY);
/** Text, because the service does not parse it. */
export const moment = property('moment', { ...STRING, examples: ['2026-01-12T08:00:00Z'] });
export const nonEmptyMoment = property('moment', STRING_NOT_EMPTY, NOT_EMPTY);
export const number = property('number', NUMBER);
export const money = property('money', NUMBER);
export const moneyAbove0 = property('money', { ...NUMBER, exclusiveMinimum: 0 }, ABOVE_0);
export const flag = property('flag', { type: 'boolean' });
/** Nullable, because some generated clients would otherwise send `{}` with every change. */
export const object = property('object', {
  type: ['object', 'null'],
  additionalProperties: {},
});

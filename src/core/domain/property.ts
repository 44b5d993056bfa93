// The kinds of properties that the table of collections is written with, in zod, and what
// its readers learn of a property: whether it is required, its default, its words.

import * as z from 'zod';

/** How a person reads and types a value. Money and moments are numbers and texts to the service. */
export type PropertyKind = 'text' | 'moment' | 'number' | 'money' | 'flag' | 'object';

type Default = string | number | boolean;

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
  readonly default: Default | undefined;
  readonly schema: z.ZodType;
}

/** What is known of a schema and is no part of the OpenAPI document. */
interface Shown {
  readonly kind: PropertyKind;
  /** Undefined: the words of the property's name. */
  readonly label: string | undefined;
}

const SHOWN = z.registry<Shown>();

/** What a value must be, in the sentence of a refusal. */
const NOT_EMPTY = 'a non-empty string';
const ABOVE_0 = 'a number above 0';

export function nonEmptyText(description: string) {
  return shown(z.string(NOT_EMPTY).min(1, NOT_EMPTY).meta({ description }), 'text');
}

export function moneyAbove0(description: string) {
  return shown(z.number(ABOVE_0).gt(0, ABOVE_0).meta({ description }), 'money');
}

export function text(description: string, label?: string) {
  return shown(z.string().meta({ description }), 'text', label);
}

export function textOrNull(description: string) {
  return shown(z.string().nullable().meta({ description }), 'text');
}

/** A day or a moment that must be there, and is kept as it comes. */
export function nonEmptyMoment(description: string) {
  return shown(z.string(NOT_EMPTY).min(1, NOT_EMPTY).meta({ description }), 'moment');
}

/** A text, because the service does not parse it. */
export function moment(description: string) {
  const meta = { description: `${description}; ISO 8601`, examples: ['2026-01-12T08:00:00Z'] };
  return shown(z.string().meta(meta), 'moment');
}

export function number(description: string) {
  return shown(z.number().meta({ description }), 'number');
}

export function money(description: string) {
  return shown(z.number().meta({ description }), 'money');
}

export function flag(description: string) {
  return shown(z.boolean().meta({ description }), 'flag');
}

export function object(description: string) {
  return shown(z.looseObject({}).meta({ description }), 'object');
}

/** The properties of a collection's schema, in its order. Throws where one is made of no kind of this file. */
export function propertiesIn(record: z.ZodObject): readonly Property[] {
  return Object.entries(record.shape).map(([name, given]) => {
    const isRequired = !(given instanceof z.ZodOptional || given instanceof z.ZodDefault);
    const schema = (isRequired ? given : given.unwrap()) as z.ZodType;
    const known = SHOWN.get(schema);
    if (known === undefined) {
      throw new Error(
        `the property ${name} has no kind; make its schema in core/domain/property.ts`,
      );
    }
    return {
      name,
      kind: known.kind,
      label: known.label ?? wordsOf(name),
      description: schema.description ?? '',
      isRequired,
      default: given instanceof z.ZodDefault ? (given.def.defaultValue as Default) : undefined,
      schema,
    };
  });
}

function shown<Schema extends z.ZodType>(
  schema: Schema,
  kind: PropertyKind,
  label?: string,
): Schema {
  SHOWN.add(schema, { kind, label });
  return schema;
}

/** `templateVersion` → `Template version`. */
function wordsOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

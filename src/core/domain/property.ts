// The kinds of properties that the table of collections is written with, in zod, and what
// its readers learn of a property: whether it is required, its default, its words.

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

interface Shown {
  readonly kind: PropertyKind;
  /** Undefined: the words of the property's name. */
  readonly label: string | undefined;
  readonly rule: Rule | undefined;
}

/** What is known of a schema and is not part of the OpenAPI document. */
const SHOWN = z.registry<Shown>();

export const nonEmptyText = (description: string, kind: PropertyKind = 'text') =>
  shown(z.string().min(1), kind, description, undefined, NOT_EMPTY);
export const moneyAbove0 = (description: string) =>
  shown(z.number().gt(0), 'money', description, undefined, ABOVE_0);
export const text = (description: string, label?: string) =>
  shown(z.string(), 'text', description, label);
export const textOrNull = (description: string) =>
  shown(z.string().nullable(), 'text', description);
/** A text, because the service does not parse it. */
export const moment = (description: string) =>
  shown(
    z.string().meta({ examples: ['2026-01-12T08:00:00Z'] }),
    'moment',
    `${description}; ISO 8601`,
  );
export const number = (description: string) => shown(z.number(), 'number', description);
export const money = (description: string) => shown(z.number(), 'money', description);
export const flag = (description: string) => shown(z.boolean(), 'flag', description);
export const object = (description: string) => shown(z.looseObject({}), 'object', description);

/** The properties of a collection's schema, in its order. Throws if one is made of no kind of this file. */
export function propertiesIn(record: z.ZodObject): readonly Property[] {
  return Object.entries(record.shape).map(([name, given]) => {
    const isRequired = !(given instanceof z.ZodOptional || given instanceof z.ZodDefault);
    const schema = (isRequired ? given : given.unwrap()) as z.ZodType;
    const known = SHOWN.get(schema);
    if (known === undefined) throw new Error(`the property ${name} has no kind; see property.ts`);
    return {
      name,
      kind: known.kind,
      label: known.label ?? wordsOf(name),
      description: schema.description ?? '',
      isRequired,
      default:
        given instanceof z.ZodDefault ? (given.def.defaultValue as Property['default']) : undefined,
      schema,
      rule: known.rule,
    };
  });
}

function shown<Schema extends z.ZodType>(
  schema: Schema,
  kind: PropertyKind,
  description: string,
  label?: string,
  rule?: Rule,
): Schema {
  const described = schema.meta({ ...schema.meta(), description });
  SHOWN.add(described, { kind, label, rule });
  return described;
}

/** `templateVersion` → `Template version`. */
function wordsOf(name: string): string {
  return capitalized(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

export function capitalized(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

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
}

/** What is known of a schema and is not part of the OpenAPI document. Without a label: the words of the property's name. */
const SHOWN = z.registry<{ readonly kind: PropertyKind; readonly label: string | undefined }>();

/** What a value must be, in the sentence of a refusal. */
const NOT_EMPTY = 'a non-empty string';
const ABOVE_0 = 'a number above 0';

export const nonEmptyText = (description: string, kind: PropertyKind = 'text') =>
  shown(z.string(NOT_EMPTY).min(1, NOT_EMPTY), kind, description);
export const moneyAbove0 = (description: string) =>
  shown(z.number(ABOVE_0).gt(0, ABOVE_0), 'money', description);
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
    };
  });
}

function shown<Schema extends z.ZodType>(
  schema: Schema,
  kind: PropertyKind,
  description: string,
  label?: string,
): Schema {
  const described = schema.meta({ ...schema.meta(), description });
  SHOWN.add(described, { kind, label });
  return described;
}

/** `templateVersion` → `Template version`. */
function wordsOf(name: string): string {
  return capitalized(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

export function capitalized(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

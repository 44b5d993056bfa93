// The records of each collection, as requests and answers contain them.

import * as z from 'zod';
import { byCollection, type CollectionName } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { Property } from '../../core/domain/property.js';

/** Marks a type that is only a convention: the service accepts and keeps any value there. */
export const UNCHECKED = 'x-unchecked';
const UNCHECKED_WORDS = 'By convention: the service does not check it';

/** The body of a create, the body of a PATCH, and a stored record. */
export const RECORD_SCHEMAS = byCollection((name) => ({
  body: bodyOf(name),
  changes: changesOf(name),
  record: recordOf(name),
}));

/**
 * Defaults are only described in words. Generators treat a property with a `default` as
 * always present, or send the default with every change.
 */
function bodyOf(name: CollectionName): z.ZodObject {
  const { names, properties } = COLLECTIONS[name];
  const shape = shapeOf(properties, (property) => {
    if (property.isRequired) return property.schema;
    const { default: value, description } = property;
    return value === undefined
      ? unchecked(documented(property)).optional()
      : described(property, `${description}. Default: \`${value}\``).optional();
  });
  return z.looseObject(shape).meta({
    description: `The body that creates ${names.phrase}. Any other property is kept unchanged. The service sets \`id\` and \`owner_sub\`.`,
  });
}

function changesOf(name: CollectionName): z.ZodObject {
  const shape = shapeOf(COLLECTIONS[name].properties, (property) =>
    (property.isRequired ? property.schema : unchecked(documented(property))).optional(),
  );
  return z.looseObject(shape).meta({
    description: `Properties to set; the others stay. The merged record is checked like a new one. \`id\`, \`owner_sub\` and \`ownerSub\` are ignored.`,
  });
}

/**
 * Typed as the project's own clients write. A property with a default is always present.
 * `ownerSub` isn't a property of its own, because in many languages it would get the same
 * name as `owner_sub`.
 */
function recordOf(name: CollectionName): z.ZodObject {
  const { properties, idPrefix, mirrorsOwner, names } = COLLECTIONS[name];
  const shape = shapeOf(properties, (property) => {
    if (property.isRequired) return typeAlone(property);
    const named = described(property, `${property.description}. ${UNCHECKED_WORDS}`);
    return property.default === undefined ? named.optional() : named;
  });
  const phrase = capitalized(names.phrase);
  return z
    .looseObject({
      id: z.string().meta({ description: `\`${idPrefix}\` and a number, given by the service` }),
      owner_sub: z.string().meta({ description: 'The account that the record belongs to' }),
      ...shape,
    })
    .meta({
      description: mirrorsOwner
        ? `${phrase}, open to any other property. \`ownerSub\` holds the same text as \`owner_sub\`.`
        : `${phrase}, open to any other property.`,
      ...(mirrorsOwner && { patternProperties: { '^ownerSub$': { type: 'string' } } }),
    });
}

/** Without a request's limits: one old row that breaks them must not make a whole list unreadable. */
function typeAlone({ schema, description }: Property): z.ZodType {
  return (schema instanceof z.ZodNumber ? z.number() : z.string()).meta({ description });
}

/** An object may be null: otherwise some generators send `{}` with every change. */
function documented({ kind, schema, description }: Property): z.ZodType {
  return kind === 'object' ? schema.nullable().meta({ description }) : schema;
}

function described(property: Property, description: string): z.ZodType {
  const schema = documented(property);
  return unchecked(schema.meta({ ...schema.meta(), description }));
}

function shapeOf(
  properties: readonly Property[],
  schemaOf: (property: Property) => z.ZodType,
): Record<string, z.ZodType> {
  return Object.fromEntries(properties.map((property) => [property.name, schemaOf(property)]));
}

export function unchecked<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ ...schema.meta(), [UNCHECKED]: true }) as Schema;
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

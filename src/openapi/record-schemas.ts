// The records of each collection as they are sent and as they are answered.

import * as z from 'zod';
import { byCollection, type CollectionName } from '../domain/collection-name.js';
import { COLLECTIONS } from '../domain/collections.js';
import { KNOWN_PROPERTIES } from './known-properties.js';
import { capitalized, RECORD_NAMES } from './names.js';
import { UNCHECKED_WORDS, unchecked } from './unchecked.js';

export interface RecordSchemas {
  /** The body of a create. */
  readonly body: z.ZodObject;
  /** The body of a PATCH. */
  readonly changes: z.ZodObject;
  /** A stored record. */
  readonly record: z.ZodObject;
}

export const RECORD_SCHEMAS: Readonly<Record<CollectionName, RecordSchemas>> = byCollection(
  (name) => ({
    body: bodyOf(name),
    changes: changesOf(name),
    record: recordOf(name),
  }),
);

/**
 * Defaults stand in words alone. Generators take a property with a `default` for
 * one that is always there, or send the default with every change.
 */
function bodyOf(name: CollectionName): z.ZodObject {
  const { defaults, required } = COLLECTIONS[name];
  const known = mapShape(KNOWN_PROPERTIES[name].shape, (schema, property) =>
    (property in defaults
      ? described(schema, `${schema.description}. Default: \`${defaults[property]}\``)
      : unchecked(schema)
    ).optional(),
  );
  return z.looseObject({ ...required.shape, ...known }).meta({
    description: `The body that creates ${RECORD_NAMES[name].phrase}. Any other property is kept as it is. The service sets \`id\` and \`owner_sub\`.`,
  });
}

function changesOf(name: CollectionName): z.ZodObject {
  const known = mapShape(KNOWN_PROPERTIES[name].shape, unchecked);
  const all = { ...COLLECTIONS[name].required.shape, ...known };
  return z.looseObject(mapShape(all, (schema) => schema.optional())).meta({
    description: `Properties to set; the others stay. The merged record is checked like a new one. \`id\`, \`owner_sub\` and \`ownerSub\` are ignored.`,
  });
}

/**
 * Typed as the project's own clients write. A property with a default is always
 * there. `ownerSub` is no property of its own: many languages take it for the same
 * name as `owner_sub`.
 */
function recordOf(name: CollectionName): z.ZodObject {
  const { defaults, required, idPrefix, mirrorsOwner } = COLLECTIONS[name];
  const known = mapShape(KNOWN_PROPERTIES[name].shape, (schema, property) => {
    const named = described(schema, `${schema.description}. ${UNCHECKED_WORDS}`);
    return property in defaults ? named : named.optional();
  });
  const phrase = capitalized(RECORD_NAMES[name].phrase);
  return z
    .looseObject({
      id: z.string().meta({ description: `\`${idPrefix}\` and a number, given by the service` }),
      owner_sub: z.string().meta({ description: 'The account that the record belongs to' }),
      ...mapShape(required.shape, typeAlone),
      ...known,
    })
    .meta({
      description: mirrorsOwner
        ? `${phrase}, open to any other property. \`ownerSub\` holds the same text as \`owner_sub\`.`
        : `${phrase}, open to any other property.`,
      ...(mirrorsOwner && { patternProperties: { '^ownerSub$': { type: 'string' } } }),
    });
}

/** Without the limits of a request: one old row that breaks them must not make a whole list unreadable. */
function typeAlone(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodNumber ? z.number() : z.string();
}

function described(schema: z.ZodType, description: string): z.ZodType {
  return unchecked(schema.meta({ ...schema.meta(), description }));
}

function mapShape(
  shape: Readonly<Record<string, z.core.$ZodType>>,
  change: (schema: z.ZodType, property: string) => z.ZodType,
): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(shape).map(([property, schema]) => [
      property,
      change(schema as z.ZodType, property),
    ]),
  );
}

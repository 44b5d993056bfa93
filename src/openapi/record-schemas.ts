// The records of each collection as they are sent and as they are answered.

import * as z from 'zod';
import { byCollection, type CollectionName } from '../domain/collection-name.js';
import { COLLECTIONS } from '../domain/collections.js';
import { KNOWN_PROPERTIES } from './known-properties.js';
import { capitalized, RECORD_NAMES } from './names.js';

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

function bodyOf(name: CollectionName): z.ZodObject {
  const { defaults, required } = COLLECTIONS[name];
  const known = mapShape(KNOWN_PROPERTIES[name].shape, (schema, property) =>
    property in defaults
      ? schema.optional().meta({ description: schema.description, default: defaults[property] })
      : schema.optional(),
  );
  return z.looseObject({ ...required.shape, ...known }).meta({
    description: `The body that creates ${RECORD_NAMES[name].phrase}. Any other property is kept as it is. The service sets \`id\` and \`owner_sub\`.`,
  });
}

function changesOf(name: CollectionName): z.ZodObject {
  const known = { ...COLLECTIONS[name].required.shape, ...KNOWN_PROPERTIES[name].shape };
  return z.looseObject(mapShape(known, (schema) => schema.optional())).meta({
    description: `Properties to set; the others stay. The merged record is checked like a new one. \`id\`, \`owner_sub\` and \`ownerSub\` are ignored.`,
  });
}

/** Only properties that the service checks have a type. The others come back as their writer chose. */
function recordOf(name: CollectionName): z.ZodObject {
  const { required, idPrefix, mirrorsOwner } = COLLECTIONS[name];
  const owner = z.string().meta({ description: 'The account that the record belongs to' });
  const known = mapShape(KNOWN_PROPERTIES[name].shape, (schema) => {
    const description = `${schema.description}. Not checked: it comes back as it was written.`;
    return z.unknown().meta({ description });
  });
  return z
    .looseObject({
      id: z.string().meta({ description: `\`${idPrefix}\` and a number, given by the service` }),
      owner_sub: owner,
      ...(mirrorsOwner && { ownerSub: owner }),
      ...required.shape,
      ...mapShape(known, (schema) => schema.optional()),
    })
    .meta({
      description: `${capitalized(RECORD_NAMES[name].phrase)}, open to any other property.`,
    });
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

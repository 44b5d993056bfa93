// The document's named schemas, from the zod schemas: `components.schemas`. Every
// object has a name here: generators invent one for an object without.

import * as z from 'zod';
import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { JsonObject } from '../../core/domain/json.js';
import { GROWING, OPERATOR_VIEWS, VIEW_SCHEMAS } from '../../core/domain/operator-views.js';
import VIEWS from '../../core/operator-answers.js';
import { RECORD_SCHEMAS } from './record-schemas.js';
import { ERROR_DETAIL, META, PAGINATION, ROW_ANSWERS, SINGLE_ANSWERS } from './view-schemas.js';

/** What `data` holds: one object, an array of them, or the confirmation of a deletion. */
export type AnswerKind = 'one' | 'list' | 'deletion';

const RECORDS = Object.fromEntries(
  COLLECTION_NAMES.map((name) => [COLLECTIONS[name].names.one, RECORD_SCHEMAS[name].record]),
);

/** The objects that answers carry alone. */
const SINGLE: Readonly<Record<string, z.ZodObject>> = {
  ...RECORDS,
  ...SINGLE_ANSWERS,
  ...viewsNamed(VIEWS.objects),
};

/** The objects that answers carry as rows. */
const ROWS: Readonly<Record<string, z.ZodObject>> = {
  ...RECORDS,
  ...ROW_ANSWERS,
  ...viewsNamed(VIEWS.rows),
};

const NAMED = named();

/** Integers are counts, far below 2^53; other numbers are doubles, as JSON has them. */
const FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'double' };

/** Names that end in `Response` collide with those that generators make up. */
export function envelopeName(kind: AnswerKind, schema: string): string {
  return kind === 'list' ? `${schema}List` : `${schema}Result`;
}

export function componentSchemas(): JsonObject {
  const schemas = z.registry<{ id: string }>();
  for (const [id, schema] of NAMED) schemas.add(schema, { id });
  const { schemas: made } = z.toJSONSchema(schemas, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // Zod limits integers to the safe ones. No count here comes near that limit.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      const format = FORMATS[String(jsonSchema.type)];
      if (format !== undefined) jsonSchema.format = format;
      if (GROWING in jsonSchema) {
        delete jsonSchema[GROWING];
        delete jsonSchema.enum;
      }
      mergeNull(jsonSchema);
    },
  });
  return Object.fromEntries(Object.entries(made).map(([id, schema]) => [id, plain(schema)]));
}

/** Throws if no schema has this name. */
export function schemaRef(id: string): JsonObject {
  if (!NAMED.has(id)) {
    throw new Error(
      `no schema is called ${id}; name it in SINGLE_ANSWERS or ROW_ANSWERS of src/clients/openapi/view-schemas.ts`,
    );
  }
  return { $ref: `#/components/schemas/${id}` };
}

/** The schemas of the operator's views, by name. */
function viewsNamed(views: readonly (keyof typeof OPERATOR_VIEWS)[]): Record<string, z.ZodObject> {
  const schemas = views.map((view) => OPERATOR_VIEWS[view].schema);
  return Object.fromEntries(schemas.map((schema) => [schema, VIEW_SCHEMAS[schema]]));
}

function named(): Map<string, z.ZodObject> {
  const meta = z.object(META);
  const listMeta = z.object({ ...META, pagination: PAGINATION });
  const all = new Map<string, z.ZodObject>([
    ['Meta', meta],
    ['Pagination', PAGINATION],
    ['ListMeta', listMeta],
    ['ErrorDetail', ERROR_DETAIL],
    ['ErrorEnvelope', z.object({ error: ERROR_DETAIL, meta })],
    ...Object.entries(VIEW_SCHEMAS),
  ]);
  for (const [id, data] of Object.entries(SINGLE)) {
    all.set(id, data).set(envelopeName('one', id), z.object({ data, meta }));
  }
  for (const [id, row] of Object.entries(ROWS)) {
    const list = z.object({ data: z.array(row), meta: listMeta });
    all.set(id, row).set(envelopeName('list', id), list);
  }
  for (const name of COLLECTION_NAMES) {
    const { one } = COLLECTIONS[name].names;
    const { body, changes } = RECORD_SCHEMAS[name];
    all.set(`New${one}`, body).set(`${one}Changes`, changes);
  }
  return all;
}

/** `anyOf: [{ type: object }, { type: null }]` → `type: [object, null]`, which more generators read. */
function mergeNull(schema: z.core.JSONSchema.BaseSchema): void {
  const [one, none] = schema.anyOf ?? [];
  if (none?.type !== 'null' || one?.type === undefined) return;
  delete schema.anyOf;
  const { properties = {}, ...rest } = one;
  const named = Object.keys(properties).length > 0 ? { properties } : {};
  Object.assign(schema, { ...rest, ...named, ...schema }, { type: [one.type, 'null'] });
}

/** The schema without the two properties that only a separate schema document has. */
function plain(schema: unknown): JsonObject {
  const { $schema: _dialect, $id: _id, ...rest } = JSON.parse(JSON.stringify(schema));
  return rest;
}

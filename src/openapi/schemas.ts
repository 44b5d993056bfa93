// The document's named schemas, from the zod schemas: `components.schemas`.

import * as z from 'zod';
import { COLLECTION_NAMES } from '../domain/collection-name.js';
import type { JsonObject } from '../domain/json.js';
import { RECORD_NAMES } from './names.js';
import { RECORD_SCHEMAS } from './record-schemas.js';
import {
  ACCOUNT,
  ACCOUNT_SUMMARY,
  ADMIN_HEALTH,
  AUDIT_EVENT,
  DELETION,
  HEALTH_VIEW,
  META,
  OVERVIEW,
  PAGINATION,
  PAYMENT,
  USAGE,
} from './view-schemas.js';

const metaSchema = z.object(META);
const listMetaSchema = z.object({ ...META, pagination: PAGINATION });

/** The objects that answers carry in `data`, as rows or alone. */
const VIEWS: Readonly<Record<string, z.ZodObject>> = {
  ...Object.fromEntries(
    COLLECTION_NAMES.map((name) => [RECORD_NAMES[name].one, RECORD_SCHEMAS[name].record]),
  ),
  Payment: PAYMENT,
  Deletion: DELETION,
  Health: HEALTH_VIEW,
  Overview: OVERVIEW,
  AccountSummary: ACCOUNT_SUMMARY,
  Account: ACCOUNT,
  Usage: USAGE,
  AdminHealth: ADMIN_HEALTH,
  AuditEvent: AUDIT_EVENT,
};

export function componentSchemas(): JsonObject {
  const schemas = z.registry<{ id: string }>();
  schemas.add(metaSchema, { id: 'Meta' });
  schemas.add(PAGINATION, { id: 'Pagination' });
  schemas.add(listMetaSchema, { id: 'ListMeta' });
  for (const [id, schema] of Object.entries(VIEWS)) schemas.add(schema, { id });
  for (const name of COLLECTION_NAMES) {
    const { one } = RECORD_NAMES[name];
    schemas.add(RECORD_SCHEMAS[name].body, { id: `New${one}` });
    schemas.add(RECORD_SCHEMAS[name].changes, { id: `${one}Changes` });
  }
  const { schemas: made } = z.toJSONSchema(schemas, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // Zod limits integers to the safe ones. No count here comes near that limit.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.additionalProperties !== undefined) jsonSchema.additionalProperties = true;
    },
  });
  return Object.fromEntries(Object.entries(made).map(([id, schema]) => [id, plain(schema)]));
}

export function schemaRef(id: string): JsonObject {
  return { $ref: `#/components/schemas/${id}` };
}

/** The schema without the two properties that only a separate schema document has. */
function plain(schema: unknown): JsonObject {
  const { $schema: _dialect, $id: _id, ...rest } = JSON.parse(JSON.stringify(schema));
  return rest;
}

// The document's named schemas, `components.schemas`, from the zod schemas. Every object has
// a name, because generators would invent one. The compiler checks each schema against the
// type that the handler serializes.

import * as z from 'zod';
import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { ErrorCode } from '../../core/domain/errors.js';
import type { JsonObject } from '../../core/domain/json.js';
import { OBJECT_VIEWS, ROW_VIEWS, type ViewName } from '../../core/domain/operator-views.js';
import type { Payment } from '../../core/domain/payment.js';
import { STATUS_OF } from '../../core/http/envelope.js';
import { HEALTH } from '../../core/http/routes.js';
import { MEANINGS } from './errors.js';
import { RECORD_SCHEMAS, unchecked } from './record-schemas.js';
import { GROWING, TIMESTAMP, VIEW_DESCRIPTIONS, VIEW_SCHEMAS } from './view-schemas.js';

/** What `data` holds: one object, an array of them, or the confirmation of a deletion. */
export type AnswerKind = 'one' | 'list' | 'deletion';

const count = z.int().min(0);
const META = {
  request_id: z.string().meta({ description: 'The same as the header `X-Request-ID`' }),
  timestamp: TIMESTAMP,
};

const PAGINATION = z.object({
  page: z.int().min(1),
  page_size: count.meta({ description: 'Maximum number of rows on a page' }),
  total: count.meta({ description: 'Number of rows on all pages' }),
  total_pages: count.meta({ description: '0 if there are no rows' }),
});

const PAYMENT = z
  .object({
    id: z.string().meta({ description: "`PAY-` and the order's number" }),
    order_id: z.string(),
    customer: unchecked(z.string().meta({ description: "The order's `customer`" })),
    amount: z.number().meta({ description: "The order's `amount`; 0 if that is not a number" }),
    paid: z.number().meta({ description: "The order's `paid`; 0 if that is not a number" }),
    due: z.number().meta({ description: '`amount - paid`; negative if too much was paid' }),
    currency: unchecked(z.string().meta({ description: "The order's `currency`" })),
    method: unchecked(
      z.string().nullable().meta({ description: "The order's `method`; null if it has none" }),
    ),
    status: z.enum(['paid', 'pending']).meta({ description: '`paid` when `paid >= amount`' }),
  })
  .meta({
    description: 'One row for each order, computed from it and never stored.',
  }) satisfies z.ZodType<Record<keyof Payment, unknown>>;

const ERROR_DETAIL = z.object({
  code: z.string().meta({ description: errorCodes() }),
  message: z.string().meta({
    description: 'For developers; only the wording of `VALIDATION_FAILED` has a stable form',
  }),
});

/** The answers that are one object, except for the operator's views; by their names in the document. */
const SINGLE_ANSWERS = {
  Deletion: z.object({
    id: z.string(),
    deleted: z.boolean().meta({ description: 'Always true' }),
  }),
  Health: z.object(
    Object.fromEntries(
      Object.entries(HEALTH).map(([name, value]) => [
        name,
        z.string().meta({ description: `Always \`${value}\`` }),
      ]),
    ),
  ),
  Account: z.object({
    ...VIEW_SCHEMAS.AccountSummary.shape,
    profiles: z.array(RECORD_SCHEMAS.businesses.record),
  }),
  AdminHealth: z.object({
    status: z.enum(['ok', 'degraded']),
    database: z.enum(['ok', 'unavailable']),
    uptime_seconds: count,
    identity_provider_configured: z.boolean(),
    admin_configured: z.boolean(),
  }),
};

/** A plain string, not an enumeration: a new code must not break older clients. */
function errorCodes(): string {
  const codes = Object.entries(MEANINGS).map(
    ([code, meaning]) => `- \`${code}\` (${STATUS_OF[code as ErrorCode]}): ${meaning}`,
  );
  return `Programs decide on it; more may come.\n\n${codes.join('\n')}`;
}

const RECORDS = Object.fromEntries(
  COLLECTION_NAMES.map((name) => [COLLECTIONS[name].names.one, RECORD_SCHEMAS[name].record]),
);

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
        jsonSchema['x-extensible-enum'] = jsonSchema.enum;
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
    throw new Error(`no schema is called ${id}; name it in src/clients/openapi/schemas.ts`);
  }
  return { $ref: `#/components/schemas/${id}` };
}

/** The schemas of the operator's views, by name. */
function viewsNamed(views: readonly ViewName[]): Record<string, z.ZodObject> {
  const schemas = views.map((view) => VIEW_DESCRIPTIONS[view].schema);
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
  const single = { ...RECORDS, ...SINGLE_ANSWERS, ...viewsNamed(OBJECT_VIEWS) };
  for (const [id, data] of Object.entries(single)) {
    all.set(id, data).set(envelopeName('one', id), z.object({ data, meta }));
  }
  for (const [id, row] of Object.entries({
    ...RECORDS,
    Payment: PAYMENT,
    ...viewsNamed(ROW_VIEWS),
  })) {
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

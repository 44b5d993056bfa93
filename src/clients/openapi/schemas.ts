// The document's named schemas, `components.schemas`. Every object has a name, because generators
// would invent one. The core's types are generated from them (src/core/domain/api-schema.ts).

import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
} from '../../core/domain/collection-name.js';
import { COLLECTIONS, capitalized } from '../../core/domain/collections.js';
import type { JsonObject } from '../../core/domain/json.js';
import type { Property } from '../../core/domain/property.js';
import { HEALTH } from '../../core/http/routes.js';
import { CODES } from './error-responses.js';

/** Marks a type that is only a convention: the service accepts and stores any value. */
export const UNCHECKED = { 'x-unchecked': true };

const STRING: JsonObject = { type: 'string' };
const BOOLEAN: JsonObject = { type: 'boolean' };
const NUMBER: JsonObject = { type: 'number', format: 'double' };
/** Far below 2^53. */
const COUNT: JsonObject = { type: 'integer', minimum: 0, format: 'int64' };
const COUNT_FROM_1: JsonObject = { ...COUNT, minimum: 1 };
const RFC_3339 = 'RFC 3339, UTC, with up to nine decimals';
const TIMESTAMP: JsonObject = { type: 'string', description: RFC_3339, format: 'date-time' };

export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function described(schema: JsonObject, description: string): JsonObject {
  return { ...schema, description };
}

function text(description: string): JsonObject {
  return described(STRING, description);
}

function arrayOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

function object(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/**
 * Later releases may add values. The description lists them, because a client that is generated from an
 * enumeration fails on the first unknown value.
 */
function extensibleEnum(...values: readonly string[]): JsonObject {
  const names = values.map((value) => `\`${value}\``).join(', ');
  return { ...text(`${names}; more may come`), 'x-extensible-enum': [...values] };
}

const META = {
  request_id: text('The same as the header `X-Request-ID`'),
  timestamp: TIMESTAMP,
};

const OWNER = text('The account, by its subject');
const ACCOUNT_SUMMARY = {
  owner_sub: OWNER,
  record_count: COUNT,
  resources: schemaRef('RecordCounts'),
};

/** Request bodies, envelopes, the objects in `data`, and their parts. */
const DATA = {
  Meta: object(META),
  Pagination: object({
    page: COUNT_FROM_1,
    page_size: described(COUNT, 'Maximum number of rows on a page'),
    total: described(COUNT, 'Number of rows on all pages'),
    total_pages: described(COUNT, '0 if there are no rows'),
  }),
  ListMeta: object({ ...META, pagination: schemaRef('Pagination') }),
  ErrorDetail: object({
    // No enumeration: a new code must not break older clients.
    code: text(`Programs decide on it; more may come.\n\n${CODES}`),
    message: text('For developers; only the wording of `VALIDATION_FAILED` has a stable form'),
  }),
  ErrorEnvelope: object({ error: schemaRef('ErrorDetail'), meta: schemaRef('Meta') }),
  RecordCounts: object(byCollection(() => COUNT)),
  ResourceUsage: object({
    records: COUNT,
    payload_bytes: described(COUNT, 'UTF-8 bytes of the serialized records'),
    created_last_24_hours: COUNT,
    created_last_7_days: COUNT,
    created_last_30_days: COUNT,
    last_updated_at: {
      ...TIMESTAMP,
      type: ['string', 'null'],
      description: `${RFC_3339}; null if there is no record`,
    },
  }),
  UsageByCollection: object(byCollection(() => schemaRef('ResourceUsage'))),
  Overview: object({
    tenant_count: described(COUNT, 'Accounts that own a record'),
    record_count: described(COUNT, 'Every stored row, rows without an owner included'),
    resources: schemaRef('RecordCounts'),
  }),
  Usage: object({
    record_count: COUNT,
    payload_bytes: COUNT,
    resources: schemaRef('UsageByCollection'),
    audit_event_count: COUNT,
  }),
  AccountSummary: object(ACCOUNT_SUMMARY),
  AuditEvent: described(
    object(
      {
        id: COUNT_FROM_1,
        actor: extensibleEnum('admin', 'restore'),
        action: extensibleEnum('create', 'update', 'delete', 'restore'),
        resource: extensibleEnum(...COLLECTION_NAMES, 'database'),
        record_id: STRING,
        owner_sub: OWNER,
        timestamp: TIMESTAMP,
        changed: described(arrayOf(STRING), 'Names of properties, never values; long ones are cut'),
        changed_omitted: described(COUNT_FROM_1, 'How many more names there are'),
        run: text('The import or erasure that the change belongs to'),
      },
      ['changed_omitted', 'run'],
    ),
    'One change by the operator, or a restore, whose `record_id` is the name of the backup.',
  ),
  ...Object.assign({}, ...COLLECTION_NAMES.map(recordSchemas)),
  Health: object(
    Object.fromEntries(
      Object.entries(HEALTH).map(([name, value]) => [name, text(`Always \`${value}\``)]),
    ),
  ),
  Account: object({ ...ACCOUNT_SUMMARY, profiles: arrayOf(schemaRef('Business')) }),
  AdminHealth: object({
    status: { type: 'string', enum: ['ok', 'degraded'] },
    database: { type: 'string', enum: ['ok', 'unavailable'] },
    uptime_seconds: COUNT,
    identity_provider_configured: BOOLEAN,
    admin_configured: BOOLEAN,
  }),
  Deletion: object({ id: STRING, deleted: described(BOOLEAN, 'Always true') }),
  Payment: described(
    object({
      id: text("`PAY-` and the order's number"),
      order_id: STRING,
      customer: { ...text("The order's `customer`"), ...UNCHECKED },
      amount: described(NUMBER, "The order's `amount`; 0 if that is not a number"),
      paid: described(NUMBER, "The order's `paid`; 0 if that is not a number"),
      due: described(NUMBER, '`amount - paid`; negative if overpaid'),
      currency: { ...text("The order's `currency`"), ...UNCHECKED },
      method: {
        type: ['string', 'null'],
        description: "The order's `method`; null if it has none",
        ...UNCHECKED,
      },
      status: {
        type: 'string',
        enum: ['paid', 'pending'],
        description: '`paid` when `paid >= amount`',
      },
    }),
    'One row for each order, computed from it and never stored.',
  ),
};

/** Schemas that are the `data` of a response, and schemas that are a row of a list. Records are both. */
const SINGLE = ['Overview', 'Usage', 'Health', 'Account', 'AdminHealth', 'Deletion'];
const ROWS = ['AccountSummary', 'AuditEvent', 'Payment'];

export function componentSchemas(): JsonObject {
  const records = COLLECTION_NAMES.map((name) => COLLECTIONS[name].names.one);
  // Names that end in `Response` collide with names that generators invent.
  const results = [...records, ...SINGLE].map((name) => [
    `${name}Result`,
    object({ data: schemaRef(name), meta: schemaRef('Meta') }),
  ]);
  const lists = [...records, ...ROWS].map((name) => [
    `${name}List`,
    object({ data: arrayOf(schemaRef(name)), meta: schemaRef('ListMeta') }),
  ]);
  return { ...DATA, ...Object.fromEntries([...results, ...lists]) };
}

/** The body of a create, the body of a PATCH, and a stored record. */
function recordSchemas(name: CollectionName): JsonObject {
  const { properties, defaults, idPrefix, mirrorsOwner, names } = COLLECTIONS[name];
  const required = properties.filter(({ rule }) => rule).map((property) => property.name);
  const each = (
    words: (property: Property) => string,
    schemaOf = ({ schema }: Property): JsonObject => schema,
  ) =>
    Object.fromEntries(
      properties.map((property) => {
        const schema = described(schemaOf(property), words(property));
        return [property.name, { ...schema, ...(!property.rule && UNCHECKED) }];
      }),
    );
  // Defaults are only in the description, because generators treat a property with a `default` as always
  // present, or send it with every change.
  const body = each(({ description, default: value }) =>
    value === undefined ? description : `${description}. Default: \`${value}\``,
  );
  const changes = each(({ description }) => description);
  // Typed as the project's clients write them; a property with a default is always present.
  const record = each(
    ({ description, rule }) =>
      rule ? description : `${description}. By convention: the service does not check it`,
    // Without a request's limits, because one old row that breaks them must not make a list unreadable.
    ({ schema: { minLength: _, exclusiveMinimum: __, ...type } }) => type,
  );
  const server = {
    id: text(`\`${idPrefix}\` and a number, given by the service`),
    owner_sub: text('The account that the record belongs to'),
  };
  const always = [...Object.keys(server), ...required, ...Object.keys(defaults)];
  const twice = mirrorsOwner ? ' `ownerSub` holds the same text as `owner_sub`.' : '';
  const words = `${capitalized(names.phrase)}, open to any other property.${twice}`;
  return {
    [`New${names.one}`]: openObject(
      body,
      required,
      `The body that creates ${names.phrase}. Any other property is kept unchanged. The service sets \`id\` and \`owner_sub\`.`,
    ),
    [`${names.one}Changes`]: openObject(
      changes,
      [],
      'Properties to set; the others stay. The merged record is checked like a new one. `id`, `owner_sub` and `ownerSub` are ignored.',
    ),
    [names.one]: {
      ...openObject({ ...server, ...record }, always, words),
      // Not a property, because in many languages its name would be that of `owner_sub`.
      ...(mirrorsOwner && { patternProperties: { '^ownerSub$': STRING } }),
    },
  };
}

function openObject(properties: JsonObject, always: readonly string[], description: string) {
  const optional = Object.keys(properties).filter((name) => !always.includes(name));
  return described({ ...object(properties, optional), additionalProperties: {} }, description);
}

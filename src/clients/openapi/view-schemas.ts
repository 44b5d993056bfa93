// The operator's views across accounts: what the document says of them, and the schemas from which
// their types are made (src/core/domain/api-schema.ts).

import * as z from 'zod';
import { byCollection, COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { ViewName } from '../../core/domain/operator-views.js';

interface ViewDescription {
  /** The name in `VIEW_SCHEMAS` of the object, or of one row. */
  readonly schema: keyof typeof VIEW_SCHEMAS;
  /** Of the operation in the OpenAPI document, behind `admin`. */
  readonly operation: string;
  readonly summary: string;
  readonly description?: string;
}

const words = (description: string) => ({ description });
const count = z.int().min(0);
const owner = z.string().meta(words('The account, by its subject'));
const RFC_3339 = 'RFC 3339, UTC, with up to nine decimals';
export const TIMESTAMP = z.string().meta({ description: RFC_3339, format: 'date-time' });

/**
 * A set that may grow. The document names the values in words: a client that was
 * made from an enumeration fails on the first value that it does not know.
 */
function growing<const Values extends readonly [string, ...string[]]>(values: Values) {
  const names = values.map((value) => `\`${value}\``).join(', ');
  return z.enum(values).meta({ [GROWING]: true, description: `${names}; more may come` });
}

/** The mark of `growing`, for the document. */
export const GROWING = 'x-growing';

const RecordCounts = z.object(byCollection(() => count));

const ResourceUsage = z.object({
  records: count,
  payload_bytes: count.meta(words('UTF-8 bytes of the serialized records')),
  created_last_24_hours: count,
  created_last_7_days: count,
  created_last_30_days: count,
  last_updated_at: TIMESTAMP.nullable().meta(words(`${RFC_3339}; null if there is no record`)),
});

const UsageByCollection = z.object(byCollection(() => ResourceUsage));

/** The objects of the answers, and those that stand in them, by their names in the document. */
export const VIEW_SCHEMAS = {
  RecordCounts,
  ResourceUsage,
  UsageByCollection,
  Overview: z.object({
    tenant_count: count.meta(words('Accounts that own a record')),
    record_count: count.meta(words('Every stored row, rows without an owner included')),
    resources: RecordCounts,
  }),
  Usage: z.object({
    record_count: count,
    payload_bytes: count,
    resources: UsageByCollection,
    audit_event_count: count,
  }),
  AccountSummary: z.object({ owner_sub: owner, record_count: count, resources: RecordCounts }),
  AuditEvent: z
    .object({
      id: z.int().min(1),
      actor: growing(['admin', 'restore']),
      action: growing(['create', 'update', 'delete', 'restore']),
      resource: growing([...COLLECTION_NAMES, 'database']),
      record_id: z.string(),
      owner_sub: owner,
      timestamp: TIMESTAMP,
      changed: z
        .array(z.string())
        .meta(words('Names of properties, never values; long ones are cut')),
      changed_omitted: z.int().min(1).exactOptional().meta(words('How many more names there are')),
      run: z
        .string()
        .exactOptional()
        .meta(words('The import or erasure that the change belongs to')),
    })
    .meta({
      description:
        'One change by the operator, or a restore: then `record_id` is the name of the backup, or the time to which the account was set back.',
    }),
} as const;

/** By the name of the view: its path is `/admin/NAME`. */
export const VIEW_DESCRIPTIONS: Readonly<Record<ViewName, ViewDescription>> = {
  overview: {
    operation: 'Overview',
    schema: 'Overview',
    summary: 'Count accounts and records',
  },
  usage: {
    operation: 'Usage',
    schema: 'Usage',
    summary: 'See sizes, recent creations and the last change',
  },
  audit: {
    operation: 'ListAuditEvents',
    schema: 'AuditEvent',
    summary: "List the operator's changes, newest first",
  },
  accounts: {
    operation: 'ListAccounts',
    schema: 'AccountSummary',
    summary: 'List accounts that own a record',
    description: 'Ordered by `owner_sub`. `q` searches the `owner_sub` and the business profiles.',
  },
};

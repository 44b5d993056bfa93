// The operator's views across accounts, each in one place: its path, its answer, its words.
// The routes, the port of the records, the OpenAPI document and the operator's client are
// made from this table. `core/operator-answers.ts` has its answers as types, because the
// package's types do not include the schema library.

import * as z from 'zod';
import { byCollection, COLLECTION_NAMES } from './collection-name.js';

export type OperatorView = ObjectView | RowView;

interface Described {
  /** The name in `VIEW_SCHEMAS` of the object, or of one row. */
  readonly schema: keyof typeof VIEW_SCHEMAS;
  /** Of the operation in the OpenAPI document, behind `admin`. */
  readonly operation: string;
  readonly summary: string;
  readonly description?: string;
}

interface ObjectView extends Described {
  readonly answers: 'object';
}

/** A page of rows at a time. */
interface RowView extends Described {
  readonly answers: 'rows';
  /** The property that no two rows share. */
  readonly key: string;
  /** Whether the query parameter `q` searches the rows. */
  readonly isSearched: boolean;
}

const count = z.int().min(0);
const owner = z.string().meta({ description: 'The account, by its subject' });
export const TIMESTAMP = z
  .string()
  .meta({ description: 'RFC 3339, UTC, with up to nine decimals', format: 'date-time' });

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
  payload_bytes: count.meta({ description: 'UTF-8 bytes of the serialized records' }),
  created_last_24_hours: count,
  created_last_7_days: count,
  created_last_30_days: count,
  last_updated_at: TIMESTAMP.nullable().meta({
    description: 'RFC 3339, UTC, with up to nine decimals; null where there is no record',
  }),
});

const UsageByCollection = z.object(byCollection(() => ResourceUsage));

/** The objects of the answers, and those that stand in them, by their names in the document. */
export const VIEW_SCHEMAS = {
  RecordCounts,
  ResourceUsage,
  UsageByCollection,
  Overview: z.object({
    tenant_count: count.meta({ description: 'Accounts that own a record' }),
    record_count: count.meta({ description: 'Every stored row, rows without an owner included' }),
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
        .meta({ description: 'Names of properties, never their values; long names are cut' }),
      changed_omitted: z
        .int()
        .min(1)
        .exactOptional()
        .meta({ description: 'How many more names there are than `changed` lists' }),
      run: z
        .string()
        .exactOptional()
        .meta({ description: 'The import or erasure that the change belongs to' }),
    })
    .meta({
      description:
        'One change by the operator, or a restore: then `record_id` is the name of the backup, or the time to which the account was set back.',
    }),
} as const;

/** By the name of the view: its path is `/admin/NAME`, its method in the port and in the client is `NAME`. */
export const OPERATOR_VIEWS = {
  overview: {
    answers: 'object',
    schema: 'Overview',
    operation: 'Overview',
    summary: 'Count accounts and records',
  },
  usage: {
    answers: 'object',
    schema: 'Usage',
    operation: 'Usage',
    summary: 'See sizes, recent creations and the last change',
  },
  audit: {
    answers: 'rows',
    schema: 'AuditEvent',
    operation: 'ListAuditEvents',
    summary: "List the operator's changes, newest first",
    key: 'id',
    isSearched: false,
  },
  accounts: {
    answers: 'rows',
    schema: 'AccountSummary',
    operation: 'ListAccounts',
    summary: 'List accounts that own a record',
    description: 'Ordered by `owner_sub`. `q` searches the `owner_sub` and the business profiles.',
    key: 'owner_sub',
    isSearched: true,
  },
} as const satisfies Readonly<Record<string, OperatorView>>;

export type OperatorViewName = keyof typeof OPERATOR_VIEWS;

// The answers that the service computes: payments and the operator's views. The
// compiler holds each schema to the type that the handler serializes.

import * as z from 'zod';
import type { AuditEvent, RestoreEvent } from '../../core/domain/audit-event.js';
import { byCollection, COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { ErrorCode } from '../../core/domain/errors.js';
import type { Pagination } from '../../core/domain/listing.js';
import type { Payment } from '../../core/domain/payment.js';
import { STATUS_OF } from '../../core/http/envelope.js';
import { HEALTH } from '../../core/http/health.js';
import type {
  AccountSummary,
  Overview,
  ResourceUsage,
  Usage,
} from '../../core/records/record-service.js';
import { ERRORS } from './errors.js';
import { RECORD_SCHEMAS } from './record-schemas.js';
import { unchecked } from './unchecked.js';

const count = z.int().min(0);
const owner = z.string().meta({ description: 'The account, by its subject' });
const timestamp = z
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

/** The mark of `growing`; `schemas.ts` takes it and the enumeration away. */
export const GROWING = 'x-growing';

export const META = {
  request_id: z.string().meta({ description: 'The same as the header `X-Request-ID`' }),
  timestamp: timestamp,
};

export const PAGINATION = z.object({
  page: z.int().min(1),
  page_size: count.meta({ description: 'Most rows that a page may have' }),
  total: count.meta({ description: 'Rows on all pages together' }),
  total_pages: count.meta({ description: '0 if there is no row' }),
}) satisfies z.ZodType<Pagination>;

const HEALTH_VIEW = z.object({
  status: always(HEALTH.status),
  service: always(HEALTH.service),
  version: always(HEALTH.version),
  time_zone: always(HEALTH.time_zone),
  currency: always(HEALTH.currency),
}) satisfies z.ZodType<Record<keyof typeof HEALTH, string>>;

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

const DELETION = z.object({
  id: z.string(),
  deleted: z.boolean().meta({ description: 'Always true' }),
});

const RECORD_COUNTS = z.object(byCollection(() => count));

const OVERVIEW = z.object({
  tenant_count: count.meta({ description: 'Accounts that own a record' }),
  record_count: count.meta({ description: 'Every stored row, rows without an owner included' }),
  resources: RECORD_COUNTS,
}) satisfies z.ZodType<Overview>;

const ACCOUNT_SUMMARY = z.object({
  owner_sub: owner,
  record_count: count,
  resources: RECORD_COUNTS,
}) satisfies z.ZodType<AccountSummary>;

const ACCOUNT = z.object({
  ...ACCOUNT_SUMMARY.shape,
  profiles: z.array(RECORD_SCHEMAS.businesses.record),
});

const RESOURCE_USAGE = z.object({
  records: count,
  payload_bytes: count.meta({ description: 'UTF-8 bytes of the serialized records' }),
  created_last_24_hours: count,
  created_last_7_days: count,
  created_last_30_days: count,
  last_updated_at: timestamp.nullable(),
}) satisfies z.ZodType<ResourceUsage>;

const USAGE_BY_COLLECTION = z.object(byCollection(() => RESOURCE_USAGE));

const USAGE = z.object({
  record_count: count,
  payload_bytes: count,
  resources: USAGE_BY_COLLECTION,
  audit_event_count: count,
}) satisfies z.ZodType<Usage>;

const ADMIN_HEALTH = z.object({
  status: z.enum(['ok', 'degraded']),
  database: z.enum(['ok', 'unavailable']),
  uptime_seconds: count,
  identity_provider_configured: z.boolean(),
  admin_configured: z.boolean(),
});

const AUDIT_EVENT = z
  .object({
    id: z.int().min(1),
    actor: growing(['admin', 'restore']),
    action: growing(['create', 'update', 'delete', 'restore']),
    resource: growing([...COLLECTION_NAMES, 'database']),
    record_id: z.string(),
    owner_sub: owner,
    timestamp,
    changed: z
      .array(z.string())
      .meta({ description: 'Names of properties, never their values; long names are cut' }),
    changed_omitted: z
      .int()
      .min(1)
      .exactOptional()
      .meta({ description: 'How many more names there are than `changed` lists' }),
  })
  .meta({
    description:
      'One change by the operator, or a restore: then `record_id` is the name of the backup, or the time to which the account was set back.',
  }) satisfies z.ZodType<ListedEvent>;

export const ERROR_DETAIL = z.object({
  code: z.string().meta({ description: errorCodes() }),
  message: z.string().meta({
    description: 'For developers; the wording may change, but not the form of `VALIDATION_FAILED`',
  }),
});

/** The answers that are one object, by their names in the document. */
export const SINGLE_VIEWS = {
  Deletion: DELETION,
  Health: HEALTH_VIEW,
  Overview: OVERVIEW,
  Account: ACCOUNT,
  Usage: USAGE,
  AdminHealth: ADMIN_HEALTH,
};

/** The answers that are a list, by the names of their rows. */
export const ROW_VIEWS = {
  Payment: PAYMENT,
  AccountSummary: ACCOUNT_SUMMARY,
  AuditEvent: AUDIT_EVENT,
};

/** The objects that stand in others. */
export const VIEW_PARTS = {
  RecordCounts: RECORD_COUNTS,
  ResourceUsage: RESOURCE_USAGE,
  UsageByCollection: USAGE_BY_COLLECTION,
};

/** A plain text, not an enumeration: a new code must break no client that was made before it. */
function errorCodes(): string {
  const codes = Object.entries(ERRORS).map(
    ([code, { meaning }]) => `- \`${code}\` (${STATUS_OF[code as ErrorCode]}): ${meaning}`,
  );
  return `Programs decide on it; more may come.\n\n${codes.join('\n')}`;
}

/** A text that the service never changes. */
function always(value: string) {
  return z.string().meta({ description: `Always \`${value}\`` });
}

type ListedEvent = { [Name in keyof AuditEvent]: (AuditEvent | RestoreEvent)[Name] };

// The answers that the service computes, beside the operator's views of the table: payments,
// health, an account. The compiler holds each schema to the type that the handler serializes.

import * as z from 'zod';
import type { ErrorCode } from '../../core/domain/errors.js';
import type { Pagination } from '../../core/domain/listing.js';
import { TIMESTAMP, VIEW_SCHEMAS } from '../../core/domain/operator-views.js';
import type { Payment } from '../../core/domain/payment.js';
import { HEALTH } from '../../core/http/actions.js';
import { STATUS_OF } from '../../core/http/envelope.js';
import { ERRORS } from './errors.js';
import { RECORD_SCHEMAS } from './record-schemas.js';
import { unchecked } from './unchecked.js';

const count = z.int().min(0);
export const META = {
  request_id: z.string().meta({ description: 'The same as the header `X-Request-ID`' }),
  timestamp: TIMESTAMP,
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

const ACCOUNT = z.object({
  ...VIEW_SCHEMAS.AccountSummary.shape,
  profiles: z.array(RECORD_SCHEMAS.businesses.record),
});

const ADMIN_HEALTH = z.object({
  status: z.enum(['ok', 'degraded']),
  database: z.enum(['ok', 'unavailable']),
  uptime_seconds: count,
  identity_provider_configured: z.boolean(),
  admin_configured: z.boolean(),
});

export const ERROR_DETAIL = z.object({
  code: z.string().meta({ description: errorCodes() }),
  message: z.string().meta({
    description: 'For developers; the wording may change, but not the form of `VALIDATION_FAILED`',
  }),
});

/** The answers that are one object, beside those of the operator's views; by their names in the document. */
export const SINGLE_ANSWERS = {
  Deletion: DELETION,
  Health: HEALTH_VIEW,
  Account: ACCOUNT,
  AdminHealth: ADMIN_HEALTH,
};

/** The answers that are a list, by the names of their rows. */
export const ROW_ANSWERS = { Payment: PAYMENT };

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

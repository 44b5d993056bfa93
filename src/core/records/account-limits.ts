// The optional limits of an account. Deleting and shrinking always work.

import { failed, type Outcome } from '../domain/errors.js';
import type { AccountSize } from './record-set.js';

/** 0: no limit. */
export interface AccountLimits {
  /** UTF-8 bytes of the account's records as returned. */
  readonly maxBytes: number;
  readonly maxRecords: number;
}

export const NO_LIMITS: AccountLimits = { maxBytes: 0, maxRecords: 0 };

/** The refusal of a change by which an account grows beyond a limit; undefined if it does not. */
export function quotaFailure(
  limits: AccountLimits,
  holding: AccountSize,
  growth: AccountSize,
): Outcome<never> | undefined {
  const records = holding.records + growth.records;
  if (limits.maxRecords > 0 && growth.records > 0 && records > limits.maxRecords) {
    return failed(
      'QUOTA_EXCEEDED',
      `the account has ${holding.records} records; the limit is ${limits.maxRecords}: delete some first`,
    );
  }
  const bytes = holding.bytes + growth.bytes;
  if (limits.maxBytes > 0 && growth.bytes > 0 && bytes > limits.maxBytes) {
    return failed(
      'QUOTA_EXCEEDED',
      `the account's records take ${holding.bytes} bytes and would take ${bytes}; the limit is ${limits.maxBytes}: delete or shorten some first`,
    );
  }
  return undefined;
}

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

/** The refusal of a change that makes an account exceed a limit; undefined if it doesn't. */
export function quotaFailure(
  limits: AccountLimits,
  holding: AccountSize,
  delta: AccountSize,
): Outcome<never> | undefined {
  for (const [unit, has, added, max] of [
    ['records', holding.records, delta.records, limits.maxRecords],
    ['bytes', holding.bytes, delta.bytes, limits.maxBytes],
  ] as const) {
    if (max === 0 || added <= 0 || has + added <= max) continue;
    return failed(
      'QUOTA_EXCEEDED',
      `the account has ${has} ${unit} and would have ${has + added}; the limit is ${max}: delete some records first`,
    );
  }
  return undefined;
}

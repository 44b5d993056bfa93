// The operator's views across accounts. `/admin/NAME` is the path of each, and NAME its method in
// the storage's port and in the operator's client.

import type { AccountSummary, AuditEvent, Overview, Usage } from './api-schema.js';

/** The views that answer one object. */
export interface ObjectViews {
  /** Count accounts and records. */
  readonly overview: Overview;
  /** See sizes, recent creations and the last change. */
  readonly usage: Usage;
}

/** The views that answer rows, with the type of one row. */
export interface RowViews {
  /** List the operator's changes, newest first. */
  readonly audit: AuditEvent;
  /** List accounts that own a record. */
  readonly accounts: AccountSummary;
}

export type ViewName = keyof ObjectViews | keyof RowViews;

export const OBJECT_VIEWS = ['overview', 'usage'] as const satisfies (keyof ObjectViews)[];
export const ROW_VIEWS = ['audit', 'accounts'] as const satisfies (keyof RowViews)[];

// The answers of the operator's views, for the service and its clients.
// test/client/client-types.test.ts holds them to src/core/domain/operator-views.ts.

type CollectionName = 'businesses' | 'customers' | 'services' | 'orders' | 'team' | 'expenses';
type ByCollection<T> = Readonly<Record<CollectionName, T>>;

export type RecordCounts = ByCollection<number>;
export type UsageByCollection = ByCollection<ResourceUsage>;

export interface ResourceUsage {
  readonly records: number;
  /** UTF-8 bytes of the serialized records. */
  readonly payload_bytes: number;
  readonly created_last_24_hours: number;
  readonly created_last_7_days: number;
  readonly created_last_30_days: number;
  /** RFC 3339, UTC, with up to nine decimals; null if there is no record. */
  readonly last_updated_at: string | null;
}

export interface Overview {
  /** Accounts that own a record. */
  readonly tenant_count: number;
  /** Every stored row, rows without an owner included. */
  readonly record_count: number;
  readonly resources: RecordCounts;
}

export interface Usage {
  readonly record_count: number;
  readonly payload_bytes: number;
  readonly resources: UsageByCollection;
  readonly audit_event_count: number;
}

export interface AccountSummary {
  /** The account, by its subject. */
  readonly owner_sub: string;
  readonly record_count: number;
  readonly resources: RecordCounts;
}

/**
 * One change by the operator, or a restore: then `record_id` is the name of the backup, or the time
 * to which the account was set back. More values of `actor`, `action` and `resource` may come.
 */
export interface AuditEvent {
  readonly id: number;
  readonly actor: 'admin' | 'restore';
  readonly action: 'create' | 'update' | 'delete' | 'restore';
  readonly resource: CollectionName | 'database';
  readonly record_id: string;
  /** The account, by its subject. */
  readonly owner_sub: string;
  /** RFC 3339, UTC, with up to nine decimals. */
  readonly timestamp: string;
  /** Names of properties, never their values; long names are cut. */
  readonly changed: readonly string[];
  /** How many more names there are than `changed` lists. */
  readonly changed_omitted?: number;
  /** The import or erasure that the change belongs to. */
  readonly run?: string;
}

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

/** The names of the views, and the property that no two rows share. The clients' `export type *` leaves a default out. */
const VIEWS = {
  objects: ['overview', 'usage'],
  rows: ['audit', 'accounts'],
  keys: { audit: 'id', accounts: 'owner_sub' },
} as const;

export default VIEWS;

// The operator's views, as types.

import type { CollectionName } from './own-properties.js';
import type { Business } from './records.js';

export type RecordCounts = Readonly<Record<CollectionName, number>>;

export interface Overview {
  /** Accounts that own a record. */
  readonly tenant_count: number;
  /** Every stored row, rows without an owner included. */
  readonly record_count: number;
  readonly resources: RecordCounts;
}

export interface AccountSummary {
  readonly owner_sub: string;
  readonly record_count: number;
  readonly resources: RecordCounts;
}

export interface Account extends AccountSummary {
  readonly profiles: Business[];
}

export interface ResourceUsage {
  readonly records: number;
  /** UTF-8 bytes of the serialized records. */
  readonly payload_bytes: number;
  readonly created_last_24_hours: number;
  readonly created_last_7_days: number;
  readonly created_last_30_days: number;
  /** RFC 3339, UTC; null where there is no record. */
  readonly last_updated_at: string | null;
}

export interface Usage {
  readonly record_count: number;
  readonly payload_bytes: number;
  readonly resources: Readonly<Record<CollectionName, ResourceUsage>>;
  readonly audit_event_count: number;
}

export interface AdminHealth {
  readonly status: 'ok' | 'degraded';
  readonly database: 'ok' | 'unavailable';
  readonly uptime_seconds: number;
  readonly identity_provider_configured: boolean;
  readonly admin_configured: boolean;
}

/** One change by the operator, which properties and never their values; or a restore, with the backup's name as `record_id`, or the time to which the account was set back. */
export interface AuditEvent {
  readonly id: number;
  readonly actor: 'admin' | 'restore';
  readonly action: 'create' | 'update' | 'delete' | 'restore';
  readonly resource: CollectionName | 'database';
  readonly record_id: string;
  readonly owner_sub: string;
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  readonly changed: readonly string[];
  /** How many more names there are than `changed` lists. */
  readonly changed_omitted?: number;
}

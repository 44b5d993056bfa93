// Examples for the document: the sample records as a new database answers them,
// made by the same rules.

import { byCollection, type CollectionName } from '../../core/domain/collection-name.js';
import type { JsonObject } from '../../core/domain/json.js';
import { paymentOf } from '../../core/domain/payment.js';
import { SAMPLE_OWNER, SAMPLE_RECORDS } from '../../core/domain/sample-records.js';
import { sampleRows } from '../../core/records/sample-rows.js';

/** The time of all examples. */
const TIMESTAMP = '2026-01-14T14:02:11.482Z';

export const EXAMPLE_META: JsonObject = {
  request_id: 'req_5f0c1d2e3a4b5c6d',
  timestamp: TIMESTAMP,
};

/** The body that a collection's first sample record was created from. */
export const EXAMPLE_BODIES: Readonly<Record<CollectionName, JsonObject>> = byCollection(
  (name) => samplesOf(name)[0] ?? {},
);

/** The sample records of a collection, newest first. */
export const EXAMPLE_RECORDS: Readonly<Record<CollectionName, readonly JsonObject[]>> =
  byCollection((name) =>
    sampleRows()
      .filter(({ collection }) => collection === name)
      .map(({ body }) => JSON.parse(body))
      .reverse(),
  );

/** The record that `EXAMPLE_BODIES` makes: the collection's oldest. */
export const EXAMPLE_RECORD: Readonly<Record<CollectionName, JsonObject>> = byCollection(
  (name) => EXAMPLE_RECORDS[name].at(-1) ?? {},
);

/** A change of that record: its last property, such as a method or a location, as the next sample has it. */
export const EXAMPLE_CHANGES: Readonly<Record<CollectionName, JsonObject>> = byCollection(
  (name) => {
    const [first = {}, second = {}] = samplesOf(name);
    const changes = Object.entries(first).slice(-1);
    return Object.fromEntries(changes.map(([key, value]) => [key, second[key] ?? value]));
  },
);

export const EXAMPLE_PAYMENTS: readonly JsonObject[] = EXAMPLE_RECORDS.orders.map((order) => ({
  ...paymentOf(order),
}));

const resources = byCollection((name) => EXAMPLE_RECORDS[name].length);
const recordCount = SAMPLE_RECORDS.length;
const summary = { owner_sub: SAMPLE_OWNER, record_count: recordCount, resources };

export const EXAMPLE_OVERVIEW: JsonObject = {
  tenant_count: 1,
  record_count: recordCount,
  resources,
};
export const EXAMPLE_ACCOUNTS: readonly JsonObject[] = [summary];
export const EXAMPLE_ACCOUNT: JsonObject = {
  ...summary,
  profiles: [...EXAMPLE_RECORDS.businesses],
};

const usage = byCollection((name) => ({
  records: EXAMPLE_RECORDS[name].length,
  payload_bytes: EXAMPLE_RECORDS[name].reduce((sum, record) => sum + bytesOf(record), 0),
  created_last_24_hours: EXAMPLE_RECORDS[name].length,
  created_last_7_days: EXAMPLE_RECORDS[name].length,
  created_last_30_days: EXAMPLE_RECORDS[name].length,
  last_updated_at: TIMESTAMP,
}));

export const EXAMPLE_USAGE: JsonObject = {
  record_count: recordCount,
  payload_bytes: Object.values(usage).reduce((sum, { payload_bytes }) => sum + payload_bytes, 0),
  resources: usage,
  audit_event_count: 0,
};

export const EXAMPLE_ADMIN_HEALTH: JsonObject = {
  status: 'ok',
  database: 'ok',
  uptime_seconds: 86_400,
  identity_provider_configured: true,
  admin_configured: true,
};

export const EXAMPLE_AUDIT_EVENTS: readonly JsonObject[] = [
  {
    id: 1,
    actor: 'admin',
    action: 'update',
    resource: 'orders',
    record_id: 'ORD-0002',
    owner_sub: SAMPLE_OWNER,
    timestamp: TIMESTAMP,
    changed: ['paid', 'status'],
  },
];

function samplesOf(name: CollectionName): JsonObject[] {
  return SAMPLE_RECORDS.filter(({ collection }) => collection === name).map(({ body }) => body);
}

function bytesOf(record: JsonObject): number {
  return new TextEncoder().encode(JSON.stringify(record)).length;
}

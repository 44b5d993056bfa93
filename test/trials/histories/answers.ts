// The parts of an answer that the histories look at. Which of these properties an
// answer has depends on the request: the checker judges the rest.

import type { Payment, Properties, RecordedEvent, Totals } from './recorder.js';

export interface Summary {
  readonly owner_sub: string;
  readonly record_count: number;
  readonly resources: Record<string, number>;
}

export interface AnsweredUsage {
  readonly record_count: number;
  readonly resources: Record<string, { records: number; payload_bytes: number }>;
  readonly audit_event_count: number;
}

export interface AnsweredEvent {
  readonly action: string;
  readonly resource: string;
  readonly record_id: string;
  readonly owner_sub: string;
  readonly changed: string[];
}

export interface Envelope<Data> {
  readonly data: Data;
  readonly meta: { readonly pagination: { readonly total: number; readonly total_pages: number } };
}

export function summaryTotals({ record_count, resources }: Omit<Summary, 'owner_sub'>): Totals {
  return { records: record_count, counts: resources };
}

export function accountTotals(rows: readonly Summary[]): Record<string, Totals> {
  return Object.fromEntries(rows.map((row) => [row.owner_sub, summaryTotals(row)]));
}

export function usageTotals(usage: AnsweredUsage): Totals {
  const held = Object.entries(usage.resources);
  return {
    records: usage.record_count,
    counts: Object.fromEntries(held.map(([name, { records }]) => [name, records])),
    bytes: Object.fromEntries(held.map(([name, { payload_bytes }]) => [name, payload_bytes])),
    events: usage.audit_event_count,
  };
}

export function recordedEvent(event: AnsweredEvent): RecordedEvent {
  const { action, resource, record_id, owner_sub, changed } = event;
  return { action, coll: resource, id: record_id, who: owner_sub, changed };
}

export function recordedPayment(row: Payment): Payment {
  const { order_id, amount, paid, due, status } = row;
  return { order_id, amount, paid, due, status };
}

export function idIn(record: Properties): string {
  return String(record['id']);
}

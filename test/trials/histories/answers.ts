// The parts of an answer that the histories look at. Which of these properties an
// answer has depends on the request: the checker judges the rest.

import type { Payment, Properties, RecordedEvent, Totals } from './recorder.js';

export interface Summary {
  readonly record_count: number;
  readonly resources: Record<string, number>;
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

export function summaryTotals({ record_count, resources }: Summary): Totals {
  return { records: record_count, counts: resources };
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

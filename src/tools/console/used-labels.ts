// What a form offers for properties in which an account repeats itself, such as the
// status of its orders: the labels that its newest records have.

import type { CollectionName } from '../../core/domain/collection-name.js';
import { isTooLong } from '../data/service.js';
import type { Records } from './service.js';

const LABELLED: Readonly<Partial<Record<CollectionName, readonly string[]>>> = {
  services: ['category', 'currency'],
  orders: ['status', 'method', 'assignee', 'currency'],
  expenses: ['category', 'method'],
};
/** The service's longest page; a shorter one where the records are large. */
const RECORDS_LOOKED_AT = [200, 20] as const;
const LABELS_MAX = 20;
const LABEL_MAX_CHARACTERS = 60;

/** By property, the most frequent label first. None where even a short list is too long to read. */
export async function usedLabels(
  records: Pick<Records, 'list'>,
  collection: CollectionName,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const properties = LABELLED[collection];
  if (properties === undefined) return new Map();
  for (const page_size of RECORDS_LOOKED_AT) {
    try {
      const { items } = await records.list({ page_size });
      return new Map(properties.map((name) => [name, labelsIn(items, name)]));
    } catch (error) {
      if (!isTooLong(error)) throw error;
    }
  }
  return new Map();
}

function labelsIn(records: readonly object[], name: string): string[] {
  const counts = new Map<string, number>();
  for (const record of records) {
    const label: unknown = Object.hasOwn(record, name) ? Reflect.get(record, name) : undefined;
    if (typeof label !== 'string' || label === '' || label.length > LABEL_MAX_CHARACTERS) continue;
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, LABELS_MAX)
    .map(([label]) => label);
}

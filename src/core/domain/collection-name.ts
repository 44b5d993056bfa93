// The names of the six editable collections, without their rules, which the clients' bundles don't need.

export const COLLECTION_NAMES = [
  'businesses',
  'customers',
  'services',
  'orders',
  'team',
  'expenses',
] as const;

export type CollectionName = (typeof COLLECTION_NAMES)[number];

export function isCollectionName(name: string): name is CollectionName {
  return (COLLECTION_NAMES as readonly string[]).includes(name);
}

/** A value for each collection, in the contract's order. */
export function byCollection<T>(make: (name: CollectionName) => T): Record<CollectionName, T> {
  const entries = COLLECTION_NAMES.map((name): [CollectionName, T] => [name, make(name)]);
  return Object.fromEntries(entries) as Record<CollectionName, T>;
}

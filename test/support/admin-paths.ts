// What tests of the administration API share: a tenant's paths, and a valid
// body for every collection.

import type { Caller, JsonRecord, Reply } from './contract.js';

export const COLLECTIONS = [
  'businesses',
  'customers',
  'services',
  'orders',
  'team',
  'expenses',
] as const;

export type CollectionName = (typeof COLLECTIONS)[number];

/** The least that each collection accepts. */
export const VALID_BODY: Readonly<Record<CollectionName, JsonRecord>> = {
  businesses: {},
  customers: { name: 'Neema', phone: '+255 700 000 001' },
  services: { name: 'Braids', price: 45_000 },
  orders: { customer: 'Neema', service: 'Braids', amount: 45_000 },
  team: { name: 'Asha', phone: '+255 700 000 002' },
  expenses: { description: 'Thread', category: 'Supplies', date: '2026-01-08', amount: 500 },
};

/** A tenant's path of the administration API: `/admin/accounts/{owner_sub}/…`. */
export function tenantPath(owner: string, ...segments: readonly string[]): string {
  return ['/admin/accounts', ...[owner, ...segments].map(encodeURIComponent)].join('/');
}

/** Creates a record for a tenant; fails where the answer is not 201. */
export async function createFor(
  operator: Caller,
  owner: string,
  collection: CollectionName,
  body: JsonRecord = VALID_BODY[collection],
): Promise<JsonRecord & { id: string }> {
  const reply = await operator.post(tenantPath(owner, collection), body);
  if (reply.status !== 201) throw new Error(`create: ${reply.status} ${reply.text}`);
  return reply.json.data;
}

/** The ids of a list answer's rows, in order. */
export function idsOf(reply: Reply): string[] {
  return reply.json.data.map((row: { id: string }) => row.id);
}

/** `CUS-0042` → 42. */
export function sequenceOf(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1));
}

// A tenant's paths and records, for the tests of the administration API.

import { expect } from 'vitest';
import { type CollectionName, VALID_BODY } from './collection-table.js';
import type { Caller, JsonRecord, Reply } from './contract.js';

/** A tenant's path of the administration API: `/admin/accounts/{owner_sub}/…`. */
export function tenantPath(owner: string, ...segments: readonly string[]): string {
  return ['/admin/accounts', ...[owner, ...segments].map(encodeURIComponent)].join('/');
}

/** Creates a record for a tenant. Fails if the answer is not 201. */
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

/** `meta.pagination` of a list. */
export function pagination(page: number, page_size: number, total: number, total_pages: number) {
  return { page, page_size, total, total_pages };
}

/** The answer is that error and has no data. */
export function expectRefused({ status, json }: Reply, wanted: number, code: string): void {
  expect([status, json.error?.code, json.data]).toEqual([wanted, code, undefined]);
}

// The document's examples: the handler's real responses over a new in-memory database, recorded when
// the document is generated.

import type { CollectionName } from '../../core/domain/collection-name.js';
import { formatId } from '../../core/domain/identifier.js';
import type { JsonObject } from '../../core/domain/json.js';
import { SAMPLE_OWNER, SAMPLE_RECORDS } from '../../core/domain/sample-records.js';
import { ADMIN_PREFIX } from '../../core/http/path.js';
import { ROUTES } from '../../core/http/routes.js';
import { openRecords } from '../../core/records/memory-store.js';
import { createHandler } from '../../handler.js';
import { localIdentity, openMemoryStorage } from '../../memory.js';
import type { Method } from './operations.js';

export const EXAMPLE_META = {
  request_id: 'req_5f0c1d2e3a4b5c6d',
  timestamp: '2026-01-14T14:02:11.482Z',
};
const TENANT = `${ADMIN_PREFIX}/accounts/:owner_sub`;
const ADMIN_KEY = 'the key of the service that is asked';

/** For a create, the first sample record. For a PATCH, its last property, such as a method or a location, with the second sample's value. */
export function exampleBody(method: Method, collection: CollectionName = 'orders'): JsonObject {
  const samples = SAMPLE_RECORDS.filter((sample) => sample.collection === collection);
  const [first = {}, second = {}] = samples.map(({ body }) => body);
  if (method === 'POST') return first;
  const changes = Object.entries(first).slice(-1);
  return Object.fromEntries(changes.map(([key, value]) => [key, second[key] ?? value]));
}

/** Complete responses with their envelopes, by method and path such as `GET /api/v1/orders/:id`. */
export const EXAMPLE_RESPONSES = await exampleResponses();

async function exampleResponses(): Promise<ReadonlyMap<string, JsonObject>> {
  const clock = () => Date.parse(EXAMPLE_META.timestamp);
  const storage = openMemoryStorage({ clock });
  const records = await openRecords({ storage, clock });
  const handle = createHandler({ records, identity: localIdentity(), adminKey: ADMIN_KEY, clock });
  const headers = {
    Authorization: `Bearer ${SAMPLE_OWNER}`,
    'X-Service-Admin-Key': ADMIN_KEY,
    'X-Request-ID': EXAMPLE_META.request_id,
  };
  const send = async (method: Method, path: string, body?: JsonObject): Promise<JsonObject> => {
    const url = `http://localhost${path.replace(':owner_sub', SAMPLE_OWNER)}`;
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await handle(new Request(url, init))).json();
  };
  // The audit log of a new database is empty, so its example needs a change.
  await send('PATCH', `${TENANT}/orders/ORD-0002`, { paid: 60_000, status: 'Ready' });
  const responses = new Map<string, JsonObject>();
  // Reads first, so that they show the samples.
  for (const method of ['GET', 'PATCH', 'POST', 'DELETE'] as const) {
    for (const { path, actions, collection = 'orders' } of ROUTES) {
      if (!(method in actions)) continue;
      const isWrite = method === 'PATCH' || method === 'POST';
      const body = isWrite ? exampleBody(method, collection) : undefined;
      // The account has deleted the first record.
      const number = method === 'DELETE' && path.startsWith(TENANT) ? 2 : 1;
      const target = path.replace(':id', formatId(collection, number));
      responses.set(`${method} ${path}`, await send(method, target, body));
    }
  }
  return responses;
}

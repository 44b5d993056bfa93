// Examples for the document: the handler's own answers over a new database in memory, taken
// when the document is generated.

import { byCollection, type CollectionName } from '../../core/domain/collection-name.js';
import { HOUR_MS } from '../../core/domain/hour.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import { SAMPLE_OWNER, SAMPLE_RECORDS } from '../../core/domain/sample-records.js';
import { ADMIN_PREFIX, API_PREFIX } from '../../core/http/path.js';
import { ROUTES } from '../../core/http/routes.js';
import { openRecords } from '../../core/records/memory-store.js';
import { createHandler } from '../../handler.js';
import { localIdentity, openMemoryStorage } from '../../memory.js';

const TIMESTAMP = '2026-01-14T14:02:11.482Z';
const DAY_MS = 24 * HOUR_MS;
const REQUEST_ID = 'req_5f0c1d2e3a4b5c6d';
const ADMIN_KEY = 'the key of the service that is asked';

export const EXAMPLE_META: JsonObject = { request_id: REQUEST_ID, timestamp: TIMESTAMP };

const ANSWERS = await answersOfANewService();

/** What a GET of the route with this path answers: its `data`. */
export function exampleOf(path: string): JsonValue {
  const answer = ANSWERS.get(path);
  if (answer === undefined) throw new Error(`a new service gave no answer to GET ${path}`);
  return answer;
}

/** The body that a collection's first sample record was created from. */
export const EXAMPLE_BODIES: Readonly<Record<CollectionName, JsonObject>> = byCollection(
  (name) => samplesOf(name)[0] ?? {},
);

/** The record that `EXAMPLE_BODIES` makes: the collection's oldest. */
export const EXAMPLE_RECORD: Readonly<Record<CollectionName, JsonObject>> = byCollection(
  (name) => (exampleOf(`${API_PREFIX}/${name}`) as JsonObject[]).at(-1) ?? {},
);

/** A change of that record: its last property, such as a method or a location, as the next sample has it. */
export const EXAMPLE_CHANGES: Readonly<Record<CollectionName, JsonObject>> = byCollection(
  (name) => {
    const [first = {}, second = {}] = samplesOf(name);
    const changes = Object.entries(first).slice(-1);
    return Object.fromEntries(changes.map(([key, value]) => [key, second[key] ?? value]));
  },
);

/** The `data` of every GET of the route table, by path, except for single records. */
async function answersOfANewService(): Promise<ReadonlyMap<string, JsonValue>> {
  // The example shows an uptime of a day.
  let now = Date.parse(TIMESTAMP) - DAY_MS;
  const clock = () => now;
  const storage = openMemoryStorage({ clock: () => Date.parse(TIMESTAMP) });
  const records = await openRecords({ storage, clock });
  const handle = createHandler({ records, identity: localIdentity(), adminKey: ADMIN_KEY, clock });
  now += DAY_MS;
  const headers = { Authorization: `Bearer ${SAMPLE_OWNER}`, 'X-Service-Admin-Key': ADMIN_KEY };
  const ask = async (path: string, init: RequestInit = {}) => {
    const url = `http://localhost${path.replace(':owner_sub', SAMPLE_OWNER)}`;
    return (await (await handle(new Request(url, { headers, ...init }))).json()).data;
  };
  const data = new Map<string, JsonValue>();
  for (const { path } of ROUTES) if (!path.endsWith('/:id')) data.set(path, await ask(path));
  // The audit log of a new database is empty, so its example needs a change.
  const body = JSON.stringify({ paid: 60_000, status: 'Ready' });
  await ask(`${ADMIN_PREFIX}/accounts/:owner_sub/orders/ORD-0002`, { method: 'PATCH', body });
  const audit = `${ADMIN_PREFIX}/audit`;
  data.set(audit, await ask(audit));
  return data;
}

function samplesOf(name: CollectionName): JsonObject[] {
  return SAMPLE_RECORDS.filter(({ collection }) => collection === name).map(({ body }) => body);
}

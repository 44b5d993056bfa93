// Examples for the document: the handler's own answers over a new database in memory, taken
// when the document is generated.

import { byCollection, type CollectionName } from '../../core/domain/collection-name.js';
import type { ErrorCode } from '../../core/domain/errors.js';
import { HOUR_MS } from '../../core/domain/hour.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import { SAMPLE_COUNT, SAMPLE_OWNER, SAMPLE_RECORDS } from '../../core/domain/sample-records.js';
import { ADMIN_PREFIX, API_PREFIX } from '../../core/http/path.js';
import { ROUTES } from '../../core/http/routes.js';
import { NO_LIMITS } from '../../core/records/account-limits.js';
import { openRecords } from '../../core/records/memory-store.js';
import { createHandler } from '../../handler.js';
import { localIdentity, openMemoryStorage } from '../../memory.js';

const TIMESTAMP = '2026-01-14T14:02:11.482Z';
const DAY_MS = 24 * HOUR_MS;
const REQUEST_ID = 'req_5f0c1d2e3a4b5c6d';
const ADMIN_KEY = 'the key of the service that is asked';

export const EXAMPLE_META: JsonObject = { request_id: REQUEST_ID, timestamp: TIMESTAMP };

interface Answers {
  /** Of every GET of the route table, by path, except for single records. */
  readonly data: ReadonlyMap<string, JsonValue>;
  readonly messages: ReadonlyMap<ErrorCode, string>;
}

const ANSWERS = await answersOfANewService();

/** What a GET of the route with this path answers: its `data`. */
export function exampleOf(path: string): JsonValue {
  const answer = ANSWERS.data.get(path);
  if (answer === undefined) throw new Error(`a new service gave no answer to GET ${path}`);
  return answer;
}

/** The message of a refusal that a request can provoke there; undefined for the other codes. */
export function messageOf(code: ErrorCode): string | undefined {
  return ANSWERS.messages.get(code);
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

async function answersOfANewService(): Promise<Answers> {
  // The example shows an uptime of a day.
  let now = Date.parse(TIMESTAMP) - DAY_MS;
  const clock = () => now;
  const storage = openMemoryStorage({ clock: () => Date.parse(TIMESTAMP) });
  const limits = { ...NO_LIMITS, maxRecords: SAMPLE_COUNT };
  const records = await openRecords({ storage, clock, limits });
  const identity = localIdentity();
  const handle = createHandler({ records, identity, adminKey: ADMIN_KEY, clock });
  now += DAY_MS;
  const headers = { Authorization: `Bearer ${SAMPLE_OWNER}`, 'X-Service-Admin-Key': ADMIN_KEY };
  const ask = async (path: string, init: RequestInit = {}, dispatch = handle) => {
    const url = `http://localhost${path.replace(':owner_sub', SAMPLE_OWNER)}`;
    return (await dispatch(new Request(url, { headers, ...init }))).json();
  };
  const data = new Map<string, JsonValue>();
  for (const { path } of ROUTES) if (!path.endsWith('/:id')) data.set(path, (await ask(path)).data);
  // The audit log of a new database is empty, so its example needs a change.
  const body = JSON.stringify({ paid: 60_000, status: 'Ready' });
  await ask(`${ADMIN_PREFIX}/accounts/:owner_sub/orders/ORD-0002`, { method: 'PATCH', body });
  const audit = `${ADMIN_PREFIX}/audit`;
  data.set(audit, (await ask(audit)).data);
  const customers = `${API_PREFIX}/customers`;
  const create = (text: string) => ask(customers, { method: 'POST', body: text });
  const withoutKey = createHandler({ records, identity, clock });
  const refusals = [
    await create(''),
    await create('{"name":""}'),
    await create(JSON.stringify(samplesOf('customers')[0])),
    await ask(customers, { headers: { Authorization: 'Bearer expired' } }),
    await ask(`${customers}/CUS-0042`),
    await ask(`${customers}/CUS-0001`, { method: 'PUT' }),
    await ask(audit, {}, withoutKey),
  ];
  return { data, messages: new Map(refusals.map(({ error }) => [error.code, error.message])) };
}

function samplesOf(name: CollectionName): JsonObject[] {
  return SAMPLE_RECORDS.filter(({ collection }) => collection === name).map(({ body }) => body);
}

// Finds records of any account by id, or by a telephone number in any grouping. The service has no
// search across accounts, so the console asks account by account for a few seconds, and says how
// far it got.

import { allPages } from '../../clients/client/pages.js';
import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { AccountSummary } from '../../operator-client.js';
import { mapConcurrent } from '../data/map-concurrent.js';
import { isTooLong, type StoredRecord } from '../data/service.js';
import { propertiesBut } from './properties.js';
import { type ConsoleService, found } from './service.js';

/** What a search text asks for. */
export type Wanted =
  | { readonly by: 'id'; readonly collection: CollectionName; readonly id: string }
  /** `digits`: without the prefix, such as +255 or 0. */
  | { readonly by: 'phone'; readonly digits: string };

export interface FoundRecord {
  readonly account: AccountSummary;
  readonly collection: CollectionName;
  readonly record: StoredRecord;
}

export interface FoundRecords {
  readonly found: readonly FoundRecord[];
  /** How many accounts this search covered. */
  readonly looked: number;
  readonly total: number;
  /** The page of accounts where it resumes; undefined: all were searched. */
  readonly next: number | undefined;
}

const ACCOUNTS_A_PAGE = 50;
const REQUESTS_AT_ONCE = 8;
/** The service's longest page; a shorter one if the records are large. */
const RECORDS_A_REQUEST = [200, 10] as const;
/** Digits of a number within a country, without its 0. */
const PHONE_DIGITS = 9;
const PHONE_DIGITS_MIN = 6;

const WITH_PHONE = COLLECTION_NAMES.filter((name) =>
  COLLECTIONS[name].properties.some((property) => property.name === 'phone'),
);

/** Undefined if the text is neither an id nor a telephone number. */
export function wantedBy(text: string): Wanted | undefined {
  const given = text.trim();
  const id = /^([a-z]+-)(\d+)$/i.exec(given.replace(/^PAY-/i, COLLECTIONS.orders.idPrefix));
  const [, prefix = '', number = ''] = id ?? [];
  const collection = COLLECTION_NAMES.find(
    (name) => COLLECTIONS[name].idPrefix === prefix.toUpperCase(),
  );
  if (collection !== undefined) {
    return { by: 'id', collection, id: `${prefix.toUpperCase()}${number}` };
  }
  if (!/^[+(]?[\d\s()./-]+$/.test(given)) return undefined;
  const digits = digitsOf(given).replace(/^0+/, '').slice(-PHONE_DIGITS);
  return digits.length < PHONE_DIGITS_MIN ? undefined : { by: 'phone', digits };
}

/** Starts no further page of accounts after `maxMs`. `start`: the page where the search resumes. */
export async function findRecords(
  service: Pick<ConsoleService, 'client' | 'records'>,
  wanted: Wanted,
  { maxMs, foundMax, clock }: { maxMs: number; foundMax: number; clock: () => number },
  start = 1,
): Promise<FoundRecords> {
  const end = clock() + maxMs;
  const hits: FoundRecord[] = [];
  let [looked, total] = [0, 0];
  const collections = wanted.by === 'id' ? [wanted.collection] : WITH_PHONE;
  const read = async (page: number) => {
    const answer = await service.client.accounts.list({ page, page_size: ACCOUNTS_A_PAGE });
    total = answer.pagination.total;
    return answer;
  };
  const walk = allPages(read, ({ owner_sub }) => owner_sub, { start });
  for await (const { rows, number, isLast } of walk) {
    const places = rows.flatMap((account) =>
      collections
        .filter((collection) => account.resources[collection] > 0)
        .map((collection) => ({ account, collection })),
    );
    const matches = new Map<object, StoredRecord[]>();
    await mapConcurrent(places, REQUESTS_AT_ONCE, async (place) => {
      const records = service.records(place.account.owner_sub, place.collection);
      matches.set(place, await matching(records, wanted));
    });
    for (const place of places) {
      hits.push(...(matches.get(place) ?? []).map((record) => ({ ...place, record })));
    }
    looked += rows.length;
    if (!isLast && (clock() >= end || hits.length >= foundMax)) {
      return { found: hits, looked, total, next: number + 1 };
    }
  }
  return { found: hits, looked, total, next: undefined };
}

type Records = ReturnType<ConsoleService['records']>;

async function matching(records: Records, wanted: Wanted): Promise<StoredRecord[]> {
  if (wanted.by === 'id') {
    const record = await found(records.read(wanted.id));
    return record === undefined ? [] : [record];
  }
  const [usual, short] = RECORDS_A_REQUEST;
  const all = withPhone(records, wanted.digits, usual).catch((error: unknown) =>
    isTooLong(error) ? withPhone(records, wanted.digits, short) : Promise.reject(error),
  );
  return (await found(all)) ?? [];
}

/** Reads all records: any part of a number that the service could search for may be split by a grouping. */
async function withPhone(records: Records, digits: string, page_size: number) {
  const hits: StoredRecord[] = [];
  const pages = allPages(
    (page) => records.list({ page, page_size }),
    ({ id }) => id,
  );
  for await (const { rows } of pages) {
    hits.push(...rows.filter((record) => phoneIn(record, digits) !== undefined));
  }
  return hits;
}

/** The text of the record that holds the telephone number. */
export function phoneIn(record: StoredRecord, digits: string): string | undefined {
  return Object.values(propertiesBut(record, new Set())).find(
    (value): value is string => typeof value === 'string' && digitsOf(value).includes(digits),
  );
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

// Finds records of any account by their id, or by a telephone number in whatever way it is
// written. The service has no search across accounts, so the console asks account by
// account, for a few seconds, and says how far it came.

import { allPages } from '../../clients/client/pages.js';
import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { AccountSummary } from '../../operator-client.js';
import { isTooLong, type StoredRecord } from '../data/service.js';
import { several } from '../data/several.js';
import { type ConsoleService, isNotFound } from './service.js';

/** What a text asks for. */
export type Wanted =
  | { readonly by: 'id'; readonly collection: CollectionName; readonly id: string }
  /** `digits`: without what differs from one way of writing to another, such as +255 and 0. */
  | { readonly by: 'phone'; readonly digits: string };

export interface FoundRecord {
  readonly account: AccountSummary;
  readonly collection: CollectionName;
  readonly record: StoredRecord;
}

export interface FoundRecords {
  readonly found: readonly FoundRecord[];
  /** How many accounts were looked at, from the first of this search on. */
  readonly looked: number;
  readonly total: number;
  /** The page of accounts where the search goes on; undefined: all were looked at. */
  readonly next: number | undefined;
}

export interface SearchBounds {
  /** After this time no further accounts are begun. */
  readonly maxMs: number;
  readonly foundMax: number;
  /** Milliseconds. */
  readonly clock: () => number;
}

const ACCOUNTS_A_PAGE = 50;
const REQUESTS_AT_ONCE = 8;
/** The service's longest page; a shorter one where the records are large. */
const RECORDS_A_REQUEST = [200, 10] as const;
/** Of one collection of one account: records that have the last digits in their text. */
const REQUESTS_A_LIST = 5;
/** Digits of a number within a country, without its 0. */
const PHONE_DIGITS = 9;
const PHONE_DIGITS_MIN = 6;
/** These are written together in every way of grouping that is usual. */
const LAST_DIGITS = 3;

const WITH_PHONE = COLLECTION_NAMES.filter((name) =>
  COLLECTIONS[name].properties.some((property) => property.name === 'phone'),
);

/** Undefined where the text is neither an id nor a telephone number. */
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

/** `start`: the page of accounts with which the search goes on. */
export async function findRecords(
  service: Pick<ConsoleService, 'client' | 'records'>,
  wanted: Wanted,
  { maxMs, foundMax, clock }: SearchBounds,
  start = 1,
): Promise<FoundRecords> {
  const end = clock() + maxMs;
  const found: FoundRecord[] = [];
  let [looked, total] = [0, 0];
  const collections = wanted.by === 'id' ? [wanted.collection] : WITH_PHONE;
  const read = async (page: number) => {
    const answer = await service.client.accounts.list({ page, page_size: ACCOUNTS_A_PAGE });
    total = answer.pagination.total;
    return answer;
  };
  for await (const { rows, number, isLast } of allPages(read, keyOf, { start })) {
    const places = rows.flatMap((account) =>
      collections
        .filter((collection) => account.resources[collection] > 0)
        .map((collection) => ({ account, collection })),
    );
    const hits = new Map<object, StoredRecord[]>();
    await several(places, REQUESTS_AT_ONCE, async (place) => {
      const records = service.records(place.account.owner_sub, place.collection);
      const those =
        wanted.by === 'id' ? await withId(records, wanted.id) : await withPhone(records, wanted);
      hits.set(place, those);
    });
    for (const place of places) {
      found.push(...(hits.get(place) ?? []).map((record) => ({ ...place, record })));
    }
    looked += rows.length;
    if (isLast) return { found, looked, total, next: undefined };
    if (clock() >= end || found.length >= foundMax) {
      return { found, looked, total, next: number + 1 };
    }
  }
  return { found, looked, total, next: undefined };
}

type Records = ReturnType<ConsoleService['records']>;

async function withId(records: Records, id: string): Promise<StoredRecord[]> {
  try {
    return [await records.read(id)];
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function withPhone(records: Records, { digits }: { digits: string }) {
  let failure: unknown;
  for (const page_size of RECORDS_A_REQUEST) {
    const hits: StoredRecord[] = [];
    const read = (page: number) => records.list({ q: digits.slice(-LAST_DIGITS), page, page_size });
    try {
      for await (const { rows, number } of allPages(read, ({ id }) => id)) {
        hits.push(...rows.filter((record) => phoneIn(record, digits) !== undefined));
        if (number >= REQUESTS_A_LIST) break;
      }
      return hits;
    } catch (error) {
      if (!isTooLong(error)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** The text of the record that holds the telephone number. */
export function phoneIn(record: StoredRecord, digits: string): string | undefined {
  const texts = Object.entries(record)
    .filter(([name]) => name !== 'id' && name !== 'owner_sub' && name !== 'ownerSub')
    .map(([, value]) => value);
  return texts.find(
    (value): value is string => typeof value === 'string' && digitsOf(value).includes(digits),
  );
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

function keyOf({ owner_sub }: AccountSummary): string {
  return owner_sub;
}

// The model of one account: a Map of records in their order of creation, and the responses that
// follow from it. It is written from the contract and uses no code of the service.

import { COLLECTIONS, type CollectionName, ROW_OF } from '../../support/collection-table.js';

export type JsonRecord = Record<string, unknown>;
export type Pagination = { page: number; page_size: number; total: number; total_pages: number };
const PROTECTED = ['id', 'owner_sub', 'ownerSub'];

/** Whether the record is valid. */
export function isValid(collection: CollectionName, record: JsonRecord) {
  const { texts, numbers } = ROW_OF[collection];
  return (
    texts.every((name) => typeof own(record, name) === 'string' && own(record, name) !== '') &&
    numbers.every((name) => typeof own(record, name) === 'number' && Number(record[name]) > 0)
  );
}

export class AccountModel {
  /** The records of each collection by id, oldest first. */
  #records = Object.fromEntries(
    COLLECTIONS.map((collection) => [collection, new Map<string, JsonRecord>()]),
  ) as Readonly<Record<CollectionName, Map<string, JsonRecord>>>;

  readonly subject: string;

  constructor(subject: string) {
    this.subject = subject;
  }

  /** The ids of a collection, oldest first. */
  ids(collection: CollectionName): readonly string[] {
    return [...this.#records[collection].keys()];
  }

  read(collection: CollectionName, id: string) {
    return this.#records[collection].get(id);
  }

  /** Stores a record. An updated record keeps its place in the order. */
  put(collection: CollectionName, id: string, record: JsonRecord) {
    this.#records[collection].set(id, record);
  }

  delete(collection: CollectionName, id: string) {
    this.#records[collection].delete(id);
  }

  /** The record that a create must store. */
  created(collection: CollectionName, body: JsonRecord, id: string): JsonRecord {
    const mirror = collection === 'businesses' ? { ownerSub: this.subject } : {};
    const { defaults } = ROW_OF[collection];
    return { ...defaults, ...body, id, owner_sub: this.subject, ...mirror };
  }

  /** The record that a PATCH must store. */
  merged(stored: JsonRecord, body: JsonRecord): JsonRecord {
    const changes = Object.entries(body).filter(([name]) => !PROTECTED.includes(name));
    return { ...stored, ...Object.fromEntries(changes) };
  }

  /** The records that match a list's filters, newest first. */
  matching(collection: CollectionName, { q = '', status = '' }) {
    const needle = q.toLowerCase();
    return [...this.#records[collection].values()]
      .reverse()
      .filter((record) => JSON.stringify(record).toLowerCase().includes(needle))
      .filter(
        (record) =>
          status === '' || !Object.hasOwn(record, 'status') || record['status'] === status,
      );
  }

  /** The payments: one row for each order, newest first. */
  payments() {
    return [...this.#records.orders.values()].reverse().map((order) => {
      const amount = numberOr0(order['amount']);
      const paid = numberOr0(order['paid']);
      return {
        id: String(order['id']).replace('ORD-', 'PAY-'),
        order_id: order['id'],
        customer: order['customer'],
        amount,
        paid,
        due: Math.min(amount - paid, Number.MAX_VALUE),
        currency: order['currency'],
        method: own(order, 'method') ?? null,
        status: paid >= amount ? 'paid' : 'pending',
      };
    });
  }

  /** The account's row in the operator's views. */
  summary() {
    const resources = Object.fromEntries(
      COLLECTIONS.map((name) => [name, this.#records[name].size]),
    );
    const record_count = COLLECTIONS.reduce((count, name) => count + this.#records[name].size, 0);
    return { owner_sub: this.subject, record_count, resources };
  }

  /** UTF-8 bytes of a collection's JSON. */
  bytes(collection: CollectionName) {
    return [...this.#records[collection].values()].reduce(
      (bytes, record) => bytes + Buffer.byteLength(JSON.stringify(record)),
      0,
    );
  }
}

/** The rows of a page and its pagination. `given` has the query's parameters as text. */
export function pageOf(
  rows: readonly unknown[],
  given: { page?: string | undefined; page_size?: string | undefined },
  sizes: { size: number; max: number },
) {
  const page = wholeNumber(given.page) ?? 1;
  const page_size = Math.min(wholeNumber(given.page_size) ?? sizes.size, sizes.max);
  const total = rows.length;
  return {
    data: rows.slice((page - 1) * page_size, page * page_size),
    pagination: { page, page_size, total, total_pages: Math.ceil(total / page_size) },
  };
}

export const OWN_PAGES = { size: 20, max: 100 };
export const OPERATOR_PAGES = { size: 50, max: 200 };

function wholeNumber(text: string | undefined) {
  if (text === undefined || !/^[0-9]+$/.test(text)) return undefined;
  return Number(text) >= 1 ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined;
}

/** The names that the audit log lists for a create and for an update. */
export function createdNames(collection: CollectionName, body: JsonRecord) {
  const assigned = collection === 'businesses' ? PROTECTED : PROTECTED.slice(0, 2);
  return Object.keys(body).filter((name) => !assigned.includes(name));
}

export function changedNames(before: JsonRecord, after: JsonRecord) {
  return Object.keys(after).filter(
    (name) =>
      !Object.hasOwn(before, name) || JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}

function own(record: JsonRecord, name: string) {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function numberOr0(value: unknown) {
  return typeof value === 'number' ? value : 0;
}

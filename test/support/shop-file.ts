// Makes a database file of several shops, as after years of use. Reads the contents of such
// a file without any code of the dump.

import { COLLECTION_NAMES, type CollectionName } from '../../src/core/domain/collection-name.js';
import { formatId, sequenceOf } from '../../src/core/domain/identifier.js';
import { Connection } from '../../src/storage/file/connection.js';
import {
  COLUMNS_VERSION,
  SCHEMA_STEPS,
  SCHEMA_VERSION,
} from '../../src/storage/file/file-schema.js';
import { FILL_COLUMNS } from './database-file.js';

/** 2026-01-01, in milliseconds since 1970, UTC. */
const BEGUN = 1_767_225_600_000;
const MINUTE_MS = 60_000;
const STATEMENT_ROWS = 1_000;

export interface ShopFile {
  readonly accounts: readonly string[];
  /** The number for all accounts together. */
  readonly records: number;
  readonly events: number;
  /** When the first record was made, in milliseconds since 1970, UTC. Default: 2026. */
  readonly since?: number;
  /** Of the schema. Default: the present one. */
  readonly version?: number;
}

type Row = readonly [number, CollectionName, string, string, number, number];

/** Accounts take turns, so their records are mixed in the file. Every 50th record is deleted. */
export async function makeShopFile(path: string, shop: ShopFile): Promise<void> {
  const connection = new Connection(path);
  try {
    connection.value('pragma synchronous = off');
    const { version = SCHEMA_VERSION } = shop;
    connection.batch(
      SCHEMA_STEPS.slice(0, version)
        .flat()
        .map((sql) => ({ sql })),
    );
    const sequences: Record<string, number> = {};
    let rows: Row[] = [];
    const flush = () => {
      const sql = `
        insert into records (position, collection, id, body, created_at, updated_at)
        select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
          from json_each(?1)`;
      connection.batch([{ sql, args: [JSON.stringify(rows)] }]);
      rows = [];
    };
    for (let i = 0; i < shop.records; i++) {
      const collection = COLLECTION_NAMES[i % COLLECTION_NAMES.length] ?? 'orders';
      sequences[collection] = (sequences[collection] ?? 0) + (i % 50 === 49 ? 2 : 1);
      const id = formatId(collection, sequences[collection]);
      const owner = shop.accounts[(i * 3 + (i % 5)) % shop.accounts.length] ?? '';
      const created = (shop.since ?? BEGUN) + i * MINUTE_MS;
      const updated = i % 3 === 0 ? created + 90_000 : created;
      rows.push([i * 2 + 1, collection, id, bodyOf(collection, id, owner, i), created, updated]);
      if (rows.length === STATEMENT_ROWS) flush();
    }
    flush();
    if (version >= COLUMNS_VERSION) connection.value(FILL_COLUMNS);
    // The last one of a collection may have been deleted.
    sequences['orders'] = (sequences['orders'] ?? 0) + 3;
    for (const [name, highest] of Object.entries(version > 1 ? sequences : {})) {
      connection.value('insert into sequences values (?1, ?2)', [name, highest]);
    }
    putEvents(connection, shop);
  } finally {
    connection.close();
  }
}

function putEvents(connection: Connection, { accounts, events }: ShopFile): void {
  const texts = Array.from({ length: events }, (_, i) => {
    // The operator's scripts write several in a millisecond; a restore belongs to no account.
    const timestamp = new Date(BEGUN + Math.floor(i / 4) * MINUTE_MS).toISOString();
    const isRestore = i % 25 === 24;
    return JSON.stringify({
      actor: isRestore ? 'restore' : 'admin',
      action: isRestore ? 'restore' : 'update',
      resource: isRestore ? 'database' : 'orders',
      record_id: isRestore ? `service-${i}.db` : formatId('orders', i + 1),
      owner_sub: isRestore ? '' : accounts[i % accounts.length],
      timestamp,
      changed: isRestore ? [] : ['paid', 'imelipwa "leo"'],
    });
  });
  const sql = 'insert into audit_events (event) select value from json_each(?1)';
  connection.batch([{ sql, args: [JSON.stringify(texts)] }]);
}

function bodyOf(collection: CollectionName, id: string, owner: string, i: number): string {
  const mirror = collection === 'businesses' ? { ownerSub: owner } : {};
  return JSON.stringify({
    id,
    owner_sub: owner,
    ...mirror,
    name: `Neema ${i} “Mrembo” 💇🏾‍♀️`,
    phone: `+25571300${i}`,
    customer: `Zawadi ${i}`,
    service: 'Kusuka\n\u0000\u2028\ud800',
    description: 'Mafuta',
    category: 'stoo',
    date: '2026-01-02',
    amount: 15_000 + i / 100,
    price: 15_000,
    status: i % 2 === 0 ? 'New' : 'Ready',
    note: 'x'.repeat(i % 400),
  });
}

/** The contents of a file: each account's rows in their order, the audit log, the highest numbers. */
export interface FileContents {
  readonly accounts: ReadonlyMap<string, readonly (readonly unknown[])[]>;
  readonly events: readonly string[];
  readonly sequences: Readonly<Record<string, number>>;
}

export async function contentsOf(path: string): Promise<FileContents> {
  const connection = new Connection(path);
  try {
    const accounts = new Map<string, unknown[][]>();
    const sequences: Record<string, number> = {};
    const raise = (name: string, highest: number) => {
      sequences[name] = Math.max(sequences[name] ?? 0, highest);
    };
    for (const row of connection.rows('select * from records order by position')) {
      const [collection, id, body] = [row['collection'] as CollectionName, row['id'], row['body']];
      const owner = String(JSON.parse(String(body)).owner_sub);
      raise(collection, sequenceOf(collection, String(id)));
      if (!accounts.has(owner)) accounts.set(owner, []);
      accounts.get(owner)?.push([collection, id, body, row['created_at'], row['updated_at']]);
    }
    for (const { collection, highest } of connection.rows('select * from sequences')) {
      raise(String(collection), Number(highest));
    }
    const events = connection.rows('select event from audit_events order by id');
    return { accounts, events: events.map(({ event }) => String(event)), sequences };
  } finally {
    connection.close();
  }
}

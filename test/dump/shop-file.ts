// Makes a database file of several shops, as after years of use. Reads the contents of such
// a file without any code of the dump.

import { COLLECTION_NAMES, type CollectionName } from '../../src/core/domain/collection-name.js';
import { formatId, sequenceOf } from '../../src/core/domain/identifier.js';
import { Connection } from '../../src/storage/file/connection.js';
import { SCHEMA } from '../../src/storage/file/file-schema.js';
import { FILL_COLUMNS } from '../support/database-file.js';

/** 2026-01-01, in milliseconds since 1970, UTC. */
const BEGUN = 1_767_225_600_000;
const MINUTE_MS = 60_000;

interface ShopFile {
  readonly accounts: readonly string[];
  /** The number for all accounts together. */
  readonly records: number;
  readonly events: number;
  /** When the first record was made, in milliseconds since 1970, UTC. */
  readonly since?: number;
}

/** Accounts take turns, so their records are mixed in the file. Every 50th record is deleted. */
export async function makeShopFile(path: string, shop: ShopFile): Promise<void> {
  const { accounts, records, since = BEGUN } = shop;
  const highest: Record<string, number> = {};
  const rows = Array.from({ length: records }, (_, i) => {
    const collection = COLLECTION_NAMES[i % COLLECTION_NAMES.length] ?? 'orders';
    highest[collection] = (highest[collection] ?? 0) + (i % 50 === 49 ? 2 : 1);
    const id = formatId(collection, highest[collection]);
    const owner = accounts[(i * 3 + (i % 5)) % accounts.length] ?? '';
    const created = since + i * MINUTE_MS;
    const updated = i % 3 === 0 ? created + 90_000 : created;
    return [i * 2 + 1, collection, id, bodyOf(collection, id, owner, i), created, updated];
  });
  // The last one of a collection may have been deleted.
  highest['orders'] = (highest['orders'] ?? 0) + 3;
  const connection = new Connection(path);
  const insert = (into: string, values: readonly unknown[]) => {
    const sql = `insert into ${into} from json_each(?1)`;
    connection.batch([[sql, JSON.stringify(values)]]);
  };
  try {
    connection.value('pragma synchronous = off');
    for (const sql of SCHEMA) connection.value(sql);
    const columns = ['position', 'collection', 'id', 'body', 'created_at', 'updated_at'];
    insert(`records (${columns}) select ${columns.map((_, at) => `value ->> ${at}`)}`, rows);
    connection.value(FILL_COLUMNS);
    const numbers = Object.entries(highest);
    insert('sequences select value ->> 0, value ->> 1', numbers);
    insert('audit_events (event) select value', eventsOf(shop));
  } finally {
    connection.close();
  }
}

function eventsOf({ accounts, events }: ShopFile): string[] {
  return Array.from({ length: events }, (_, i) => {
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
}

function bodyOf(collection: CollectionName, id: string, owner: string, i: number): string {
  return JSON.stringify({
    id,
    owner_sub: owner,
    ...(collection === 'businesses' && { ownerSub: owner }),
    ...{ name: `Neema ${i} “Mrembo” 💇🏾‍♀️`, phone: `+25571300${i}`, customer: `Zawadi ${i}` },
    ...{ service: 'Kusuka\n\u0000\u2028\ud800', description: 'Mafuta', category: 'stoo' },
    ...{ date: '2026-01-02', amount: 15_000 + i / 100, price: 15_000 },
    status: i % 2 === 0 ? 'New' : 'Ready',
    note: 'x'.repeat(i % 400),
  });
}

export type FileContents = Awaited<ReturnType<typeof contentsOf>>;

/** The contents of a file: each account's rows in their order, the audit log, the highest numbers. */
export async function contentsOf(path: string) {
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
      const rows = accounts.get(owner) ?? [];
      rows.push([collection, id, body, row['created_at'], row['updated_at']]);
      accounts.set(owner, rows);
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

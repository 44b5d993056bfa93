// Makes a database file of several shops, as after years of use, and runs the commands that dump and
// load it. Reads the contents of such a file without any code of the dump.

import { copyFile } from 'node:fs/promises';
import { openLibsqlStorage } from 'service-management-api/libsql';
import { COLLECTION_NAMES, type CollectionName } from '../../src/core/domain/collection-name.js';
import { formatId } from '../../src/core/domain/identifier.js';
import { changes, event } from '../../src/storage/conformance/check.js';
import { Connection } from '../../src/storage/file/connection.js';
import { ADMIN_KEY } from '../support/contract.js';
import { runManage } from '../support/manage.js';
import type { Environment } from '../support/program.js';

/** Runs `dump …` or `load …` with the operator's key. */
export function runWithKey(args: readonly string[], environment: Environment = {}) {
  return runManage(args, { ADMIN_API_KEY: ADMIN_KEY, ...environment });
}

/** The same, requiring exit code 0. Resolves with what it printed. */
export async function runSuccessfully(...call: Parameters<typeof runWithKey>): Promise<string> {
  const { code, stdout, stderr } = await runWithKey(...call);
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}${stdout}`);
  return stdout;
}

interface ShopFile {
  readonly accounts: readonly string[];
  /** The number for all accounts together. */
  readonly records: number;
  readonly events: number;
}

/** Accounts take turns, so their records are mixed in the file. Every 50th id is of a deleted record. */
export async function makeShopFile(path: string, { accounts, records, events }: ShopFile) {
  const highest: Record<string, number> = {};
  const rows = Array.from({ length: records }, (_, i) => {
    const collection = COLLECTION_NAMES[i % COLLECTION_NAMES.length] ?? 'orders';
    highest[collection] = (highest[collection] ?? 0) + (i % 50 === 49 ? 2 : 1);
    const id = formatId(collection, highest[collection]);
    const owner = accounts[(i * 3 + (i % 5)) % accounts.length] ?? '';
    return { position: i * 2 + 1, collection, id, body: bodyOf(collection, id, owner, i) };
  });
  // The last one of a collection may have been deleted.
  highest['orders'] = (highest['orders'] ?? 0) + 3;
  const made = `${path}-made`;
  const storage = await openLibsqlStorage({ path: made, sampleRows: false });
  for (let from = 0; from < records; from += 100) {
    const puts = rows.slice(from, from + 100);
    const at = 1_767_225_600_000 + from * 60_000;
    await storage.commit(changes({ puts, at }));
    const updated = puts.filter((_, i) => i % 3 === 0);
    await storage.commit(changes({ puts: updated, at: at + 90_000 }));
  }
  const ofAccounts = Array.from({ length: events }, (_, i) => ({
    ...event(formatId('orders', i + 1), ['paid', 'imelipwa "leo"']),
    owner_sub: accounts[i % accounts.length] ?? '',
  }));
  await storage.commit(changes({ sequences: highest, events: ofAccounts }));
  await storage.close();
  // This process may keep a file in WAL mode open until its statements are collected.
  await copyFile(made, path);
  const connection = new Connection(path);
  connection.value('pragma journal_mode = delete');
  connection.close();
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

/** The contents of a file: the rows in their order, the audit log, the highest numbers. */
export async function contentsOf(path: string) {
  const connection = new Connection(path);
  const rows = (sql: string) => connection.rows(sql).map((row) => Object.values(row));
  try {
    const records = 'select collection, id, body, created_at, updated_at from records';
    return {
      records: rows(`${records} order by position`),
      events: rows('select event from audit_events order by id').map(String),
      sequences: Object.fromEntries(rows('select collection, highest from sequences')),
    };
  } finally {
    connection.close();
  }
}

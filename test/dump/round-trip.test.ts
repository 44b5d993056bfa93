// From a file through Postgres and Workers into a file: each record, id, time, order, audit event
// and highest number is what it was. On Workers ids repeat, and a load may end anywhere.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import { runHere, runWell } from '../support/data-command.js';
import { newDatabaseName, sharedPostgres } from '../support/postgres.js';
import { contentsOf, type FileContents, makeShopFile } from '../support/shop-file.js';
import { type MaintainedService, openMaintained } from '../worker/maintained-service.js';

const ACCOUNTS = ['auth0|duka/ya pili?&=%#', '..', '.', 'Ünïcode ✂', '42', "O'Neill", '%2e%2e'];

let workers: MaintainedService;
let before: FileContents;

const at = (name: string) => join(workers.folder, name);
const contentsIn = (text: string) => /contents (\w{64})/.exec(text)?.[1];

beforeAll(async () => {
  workers = await openMaintained({ settings: { SAMPLE_RECORDS: 'off' } });
  const since = Date.now() - 3_600_000;
  await makeShopFile(at('shop.db'), { accounts: ACCOUNTS, records: 1_400, events: 1_100, since });
  before = await contentsOf(at('shop.db'));
}, 60_000);
afterAll(() => workers.close());

async function emptyPostgres() {
  const [server, name] = [await sharedPostgres(), newDatabaseName()];
  const settings = { DATABASE_URL: await server.make(name) };
  return { settings, sql: (text: string) => server.sql(name, text) };
}

/** The rows of each account by collection, because not every storage keeps an order across them. */
const byCollection = ({ accounts }: FileContents) =>
  new Map(
    [...accounts].map(([owner, rows]) => [
      owner,
      rows.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 0)),
    ]),
  );

async function linesOf(name: string): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(at(name), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

describe('A dump from a file', () => {
  it('goes through Postgres and Workers into a file, and users and the operator see the same', async () => {
    const printed = await runWell(['dump', '--from', at('shop.db'), '--to', at('file.ndjson')]);
    expect(printed).toContain('1400 records and 1100 audit events');
    const contents = contentsIn(printed);
    const { settings } = await emptyPostgres();
    expect(contentsIn(await runWell(['load', at('file.ndjson')], settings))).toBe(contents);
    const dumped = await runWell(['dump', '--to', at('postgres.ndjson')], settings);
    expect(contentsIn(dumped)).toBe(contents);
    await runWell(['load', at('postgres.ndjson'), '--to', workers.adminOrigin]);
    // Again, as after an interruption.
    await runWell(['load', at('postgres.ndjson'), '--to', workers.adminOrigin]);

    const [owner = ''] = ACCOUNTS;
    const orders = (before.accounts.get(owner) ?? []).filter(([name]) => name === 'orders');
    const { data, meta } = (await workers.as(owner, 'GET', '/orders?page_size=100')).json;
    expect(meta.pagination.total).toBe(orders.length);
    const newestFirst = orders.toReversed().slice(0, 100);
    expect(data).toEqual(newestFirst.map(([, , body]) => JSON.parse(String(body))));
    const audit = (await workers.operate('GET', '/admin/audit?page_size=200&page=3')).json;
    const events = audit.data.map(({ id: _, ...event }: Record<string, unknown>) => event);
    const wanted = before.events.toReversed().slice(400, 600);
    expect(events).toEqual(wanted.map((event) => JSON.parse(event)));

    const left = await runWell(['dump', '--from', workers.adminOrigin, '--to', at('workers')]);
    expect(contentsIn(left)).toBe(contents);
    await runWell(['load', at('workers'), '--to', at('back.db')]);
    const back = await contentsOf(at('back.db'));
    expect(byCollection(back)).toEqual(byCollection(before));
    expect(back.events).toEqual(before.events);
    expect(back.sequences).toEqual(before.sequences);
  }, 60_000);

  it('is whole in a new file, with each order and highest number', async () => {
    await runWell(['load', at('file.ndjson'), '--to', at('copy.db')]);
    expect(await contentsOf(at('copy.db'))).toEqual(before);
  });

  it('takes out one account with its own audit events', async () => {
    const owner = "O'Neill";
    const args = ['dump', '--from', at('shop.db'), '--to', at('one.ndjson'), '--account', owner];
    await runWell(args);
    await runWell(['load', at('one.ndjson'), '--to', at('one.db')]);
    const one = await contentsOf(at('one.db'));
    expect([...one.accounts]).toEqual([[owner, before.accounts.get(owner)]]);
    expect(one.events.every((event) => JSON.parse(event).owner_sub === owner)).toBe(true);
    const missing = await runHere([...args.slice(0, -1), 'nobody', '--to', at('none.ndjson')]);
    expect([missing.code, missing.stderr]).toEqual([1, 'there is no account "nobody"\n']);
  });

  it('is NDJSON with a head, a line for each record and event, and a digest', async () => {
    const lines = await linesOf('file.ndjson');
    expect(lines).toHaveLength(1 + 1_400 + 1_100 + 1 + 2);
    expect(lines[0]).toMatchObject({ version: 1, source: 'file', account: null });
    const names = 'collection,id,owner,created_at,updated_at,body';
    expect(Object.keys(lines[1] ?? {}).join()).toBe(names);
    expect(lines.at(-1)).toEqual({ sha256: expect.stringMatching(/^\w{64}$/) });
  });
});

describe('A dump of Workers in which two accounts have the same ids', () => {
  beforeAll(async () => {
    for (const owner of ['first', 'first', 'second', 'second', 'second', 'first']) {
      expect((await workers.as(owner, 'POST', '/orders', VALID_BODY.orders)).status).toBe(201);
    }
    await runWell(['dump', '--from', workers.adminOrigin, '--to', at('all.ndjson')]);
  });

  it('gives the younger record a new id in a file and in Postgres, and lists it', async () => {
    await runWell(['load', at('all.ndjson'), '--to', at('same.db')]);
    const { accounts, sequences } = await contentsOf(at('same.db'));
    for (const [, id, body] of [...accounts.values()].flat()) {
      expect(JSON.parse(String(body)).id).toBe(id);
    }
    const listed = await readFile(at('all.ndjson-new-ids.csv'), 'utf8');
    const [, ...rows] = listed.trimEnd().split('\n');
    // They are younger than those of the shop, some of which come later in the dump.
    expect(rows.map((row) => row.replace(/,ORD-0*\d+$/, ''))).toEqual([
      ...[1, 2, 3].map((n) => `first,orders,ORD-000${n}`),
      ...[1, 2, 3].map((n) => `second,orders,ORD-000${n}`),
    ]);
    const given = rows.map((row) => Number(/\d+$/.exec(row)));
    expect(given).toEqual([1, 2, 3, 4, 5, 6].map((n) => (before.sequences['orders'] ?? 0) + n));
    expect(sequences['orders']).toBe(given.at(-1));
    const { settings, sql } = await emptyPostgres();
    await runWell(['load', at('all.ndjson')], settings);
    const [row] = await sql(
      'select count(*)::int as records, count(distinct id)::int as ids from records',
    );
    expect(row).toEqual({ records: 1_406, ids: 1_406 });
    const [next] = await sql("select nextval('orders_numbers')::int as number");
    expect(next).toEqual({ number: (given.at(-1) ?? 0) + 1 });
  });

  it('restores one account of Workers, after it was deleted there, with its own ids and numbers', async () => {
    const gone = await workers.maintain('DELETE', '/accounts/first');
    expect(gone.status).toBe(200);
    await runWell(['load', at('all.ndjson'), '--to', workers.adminOrigin]);
    const { json } = await workers.as('first', 'GET', '/orders');
    const ids = json.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['ORD-0003', 'ORD-0002', 'ORD-0001']);
    const created = await workers.as('first', 'POST', '/orders', VALID_BODY.orders);
    expect(created.json.data.id).toBe('ORD-0004');
  });
});

describe('A load into Workers', () => {
  const load = () => runHere(['load', at('large.ndjson'), '--to', workers.adminOrigin]);
  const put = (body: object) => workers.maintain('PUT', '/records?account=large', body);

  beforeAll(async () => {
    await makeShopFile(at('large.db'), { accounts: ['large', 'small'], records: 4_000, events: 8 });
    await runWell(['dump', '--from', at('large.db'), '--to', at('large.ndjson')]);
  });

  it('continues after what an interrupted one has left, which nobody was served meanwhile', async () => {
    const lines = await linesOf('large.ndjson');
    const columns = ['collection', 'id', 'body', 'created_at', 'updated_at'];
    const records = lines.filter(({ owner, body }) => owner === 'large' && body !== undefined);
    const rows = records.slice(0, 700).map((one) => columns.map((name) => one[name]));
    const piece = { load: lines.at(-1)?.['sha256'], from: 0, rows };
    expect((await put(piece)).json.data).toEqual({ state: 'loading', records: 700, digest: '' });
    expect((await put({ ...piece, load: 'another' })).status).toBe(409);
    expect((await workers.as('large', 'GET', '/orders')).status).toBe(503);
    const { code, stdout } = await load();
    expect([code, stdout]).toEqual([0, expect.stringContaining('4000 records and 8 audit events')]);
    const contentsFrom = async (from: string, name: string) =>
      contentsIn(await runWell(['dump', '--from', from, '--to', at(name), '--account', 'large']));
    expect(await contentsFrom(workers.adminOrigin, 'there')).toBe(
      await contentsFrom(at('large.db'), 'here'),
    );
  });

  it('leaves an account that was written to as it is, and says so', async () => {
    await workers.as('small', 'POST', '/customers', VALID_BODY.customers);
    const { code, stdout } = await load();
    expect(code).toBe(1);
    expect(stdout).toContain('2000 records and 8 audit events');
    expect(stdout).toContain('not loaded: "small": the account has other records (2001)');
  });

  it('refuses an account that is larger than an account may be, and keeps nothing of it', async () => {
    const limited = await openMaintained({ settings: { ACCOUNT_MAX_RECORDS: '1500' } });
    try {
      const refused = await runHere(['load', at('large.ndjson'), '--to', limited.adminOrigin]);
      expect(refused.stdout).toContain('nothing of the');
      const { json } = await limited.maintain('GET', '/records?account=large');
      expect(json.data).toMatchObject({ rows: [], isLast: true });
    } finally {
      await limited.close();
    }
  });
});

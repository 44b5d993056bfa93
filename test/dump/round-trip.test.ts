// Everything from a file through Postgres and Workers into a file: each record, id, time, order,
// audit event and highest number is what it was.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import { runHere, runWell } from '../support/data-command.js';
import { newDatabaseName, sharedPostgres } from '../support/postgres.js';
import { contentsOf, type FileContents, makeShopFile } from '../support/shop-file.js';
import { type MaintainedService, openMaintained } from '../worker/maintained-service.js';

const ACCOUNTS = ['auth0|duka/ya pili?&=%#', '..', '.', 'Ünïcode ✂', '42', "O'Neill", '%2e%2e'];

let workers: MaintainedService;
let postgres: { DATABASE_URL: string };
let before: FileContents;

const at = (name: string) => join(workers.folder, name);

beforeAll(async () => {
  workers = await openMaintained();
  const since = Date.now() - 3_600_000;
  await makeShopFile(at('shop.db'), { accounts: ACCOUNTS, records: 1_400, events: 1_100, since });
  before = await contentsOf(at('shop.db'));
  const [server, name] = [await sharedPostgres(), newDatabaseName()];
  postgres = { DATABASE_URL: await server.make(name) };
}, 60_000);
afterAll(() => workers.close());

const contentsIn = (text: string) => /contents (\w{64})/.exec(text)?.[1];

/** The rows of each account by collection, because not every storage keeps an order across them. */
const byCollection = ({ accounts }: FileContents) =>
  [...accounts].map(([owner, rows]) => [
    owner,
    rows.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 0)),
  ]);

describe('A dump from a file, loaded into Postgres, Workers and a file', () => {
  let contents: string | undefined;

  it('is loaded into Postgres, and tells the same contents there', async () => {
    const printed = await runWell(['dump', '--from', at('shop.db'), '--to', at('file.ndjson')]);
    expect(printed).toContain('1400 records and 1100 audit events');
    contents = contentsIn(printed);
    expect(contents).toBeDefined();
    expect(contentsIn(await runWell(['load', at('file.ndjson')], postgres))).toBe(contents);
  });

  it('goes from Postgres to Workers, and users and the operator see the same', async () => {
    const dumped = await runWell(['dump', '--to', at('postgres.ndjson')], postgres);
    expect(contentsIn(dumped)).toBe(contents);
    await runWell(['load', at('postgres.ndjson'), '--to', workers.adminOrigin]);
    await runWell(['load', at('postgres.ndjson'), '--to', workers.adminOrigin]);
    const [owner = ''] = ACCOUNTS;
    const orders = (before.accounts.get(owner) ?? []).filter(([name]) => name === 'orders');
    const { data, meta } = (await workers.as(owner, 'GET', '/orders?page_size=100')).json;
    expect(meta.pagination.total).toBe(orders.length);
    const newestFirst = orders.toReversed().slice(0, 100);
    expect(data).toEqual(newestFirst.map(([, , body]) => JSON.parse(String(body))));
    const overview = await workers.operate('GET', '/admin/overview');
    expect(overview.json.data.record_count).toBe(1_400 + SAMPLE_COUNT);
    const audit = await workers.operate('GET', '/admin/audit?page_size=200&page=3');
    const events = audit.json.data.map(({ id: _, ...event }: Record<string, unknown>) => event);
    const wanted = before.events.toReversed().slice(400, 600);
    expect(events).toEqual(wanted.map((event) => JSON.parse(event)));
  });

  it('comes back from Workers into a file with every id, time, order and event', async () => {
    await runWell(['dump', '--from', workers.adminOrigin, '--to', at('workers.ndjson')]);
    await runWell(['load', at('workers.ndjson'), '--to', at('back.db')]);
    const back = await contentsOf(at('back.db'));
    const { 'local-preview': samples, ...rest } = Object.fromEntries(byCollection(back));
    expect(samples).toHaveLength(SAMPLE_COUNT);
    expect(rest).toEqual(Object.fromEntries(byCollection(before)));
    expect(back.events).toEqual(before.events);
    for (const [name, highest] of Object.entries(before.sequences)) {
      expect(back.sequences[name]).toBeGreaterThanOrEqual(highest);
    }
  });

  it('keeps positions and highest numbers from file to file', async () => {
    await runWell(['load', at('file.ndjson'), '--to', at('copy.db')]);
    expect(await contentsOf(at('copy.db'))).toEqual(before);
    const again = await runHere(['load', at('file.ndjson'), '--to', at('copy.db')]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already exists')]);
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

  it('is NDJSON that only its owner may read, with a head, a line a record and a digest', async () => {
    const lines = (await readFile(at('file.ndjson'), 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 1_400 + 1_100 + 1 + 2);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ version: 1, source: 'file', account: null });
    const names = 'collection,id,owner,position,created_at,updated_at,body';
    expect(Object.keys(JSON.parse(lines[1] ?? '')).join()).toBe(names);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ sha256: expect.stringMatching(/^\w{64}$/) });
  });
});

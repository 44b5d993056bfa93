// From a file through Postgres and Workers into a file: each record, id, time, order, audit event
// and highest number is what it was, and a load may be interrupted anywhere.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import type { Row } from '../support/contract.js';
import { runHere, runWell } from '../support/data-command.js';
import { asAccount, openIdentityStub } from '../support/identity-stub.js';
import { newDatabaseName, sharedPostgres } from '../support/postgres.js';
import { openFolder, type TestFolder } from '../support/test-folder.js';
import { startMaintained } from './maintained-worker.js';
import { contentsOf, type FileContents, makeShopFile } from './shop-file.js';

const ACCOUNTS = ['auth0|duka/ya pili?&=%#', '..', '.', 'Ünïcode ✂', '42', "O'Neill", '%2e%2e'];
const OWNER = ACCOUNTS[0] ?? '';

let folder: TestFolder;
let before: FileContents;

const at = (name: string) => join(folder.path, name);

beforeAll(async () => {
  folder = await openFolder();
  await makeShopFile(at('shop.db'), { accounts: ACCOUNTS, records: 1_400, events: 1_100 });
  before = await contentsOf(at('shop.db'));
}, 60_000);
afterAll(() => folder.remove());

/** The rows of each account by collection, because not every storage keeps an order across them. */
const byCollection = ({ accounts }: FileContents) =>
  new Map(
    [...accounts].map(([owner, rows]) => [
      owner,
      rows.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 0)),
    ]),
  );

describe('A dump from a file', () => {
  it('goes through Postgres and Workers into a file, and users and the operator see the same', async () => {
    const printed = await runWell(['dump', '--from', at('shop.db'), '--to', at('file.ndjson')]);
    expect(printed).toContain('1400 records and 1100 audit events');
    const server = await sharedPostgres();
    const postgres = { DATABASE_URL: await server.make(newDatabaseName()) };
    await runWell(['load', at('file.ndjson')], postgres);
    await runWell(['dump', '--to', at('postgres.ndjson')], postgres);

    const workers = await startMaintained(at('objects'));
    const load = ['load', at('postgres.ndjson'), '--to', workers.origin];
    // An interrupted load leaves nothing.
    const cut = gzipSync(await readFile(at('postgres.ndjson'))).subarray(0, -100);
    expect((await workers.maintain('PUT', {}, cut)).status).toBe(422);
    await runWell(load);
    const again = await runHere(load);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('holds records')]);
    await runWell(['dump', '--from', workers.origin, '--to', at('workers.ndjson')]);
    await workers.stop();
    await runWell(['load', at('workers.ndjson'), '--to', at('back.db')]);
    const end = await contentsOf(at('back.db'));
    expect(byCollection(end)).toEqual(byCollection(before));
    expect([end.events, end.sequences]).toEqual([before.events, before.sequences]);

    await using identity = await openIdentityStub();
    const settings = { MAINTENANCE: 'off', AUTH_USERINFO_URL: identity.url };
    const served = await startMaintained(at('objects'), settings);
    const orders = (before.accounts.get(OWNER) ?? []).filter(([name]) => name === 'orders');
    const { data, meta } = (
      await served.ask('GET', '/api/v1/orders?page_size=100', asAccount(OWNER))
    ).json;
    expect(meta.pagination.total).toBe(orders.length);
    const newestFirst = orders.toReversed().slice(0, 100);
    expect(data).toEqual(newestFirst.map(([, , body]) => JSON.parse(String(body))));
    const audit = (await served.ask('GET', '/api/v1/admin/audit?page_size=200&page=3')).json;
    const events = (audit.data as unknown as readonly Row[]).map(({ id: _, ...event }) => event);
    const wanted = before.events.toReversed().slice(400, 600);
    expect(events).toEqual(wanted.map((event) => JSON.parse(event)));
    const created = await served.ask('POST', '/api/v1/orders', asAccount(OWNER), VALID_BODY.orders);
    expect(created.json.data.id).toBe(
      `ORD-${String((before.sequences['orders'] ?? 0) + 1).padStart(4, '0')}`,
    );
    expect((await served.maintain('GET')).status).toBe(404);
    await served.stop();
  }, 60_000);

  it('is whole in a new file, and NDJSON with a head, a line for each record and event, and a digest', async () => {
    await runWell(['load', at('file.ndjson'), '--to', at('copy.db')]);
    expect(await contentsOf(at('copy.db'))).toEqual(before);
    const lines = (await readFile(at('file.ndjson'), 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 1_400 + 1_100 + 2);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ version: 1, release: '0.1.0' });
    const names = 'collection,id,owner,created_at,updated_at,body';
    expect(Object.keys(JSON.parse(lines[1] ?? '')).join()).toBe(names);
    expect(lines.at(-1)).toMatch(/^{"sha256":"\w{64}"}$/);
  });
});

describe('A Worker under maintenance', () => {
  it('is read-only, and gives and takes nothing without the operator’s key', async () => {
    const workers = await startMaintained(at('maintained'));
    const path = '/api/v1/admin/accounts/amina/orders';
    const write = await workers.ask('POST', path, {}, VALID_BODY.orders);
    expect([write.status, write.json.error?.code]).toEqual([500, 'STORAGE_FAILED']);
    const other = { 'X-Service-Admin-Key': 'x'.repeat(40) };
    expect((await workers.maintain('GET', other)).status).toBe(401);
    expect((await workers.maintain('PUT', other, Buffer.from('x'))).status).toBe(401);
    await workers.stop();
  });
});

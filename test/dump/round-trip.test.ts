// From a file through Postgres and Workers into a file: every record, id, time, order, audit event
// and highest number is unchanged, and a load may be interrupted anywhere.

import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatId } from '../../src/core/domain/identifier.js';
import { VALID_BODY } from '../support/collection-table.js';
import type { Row } from '../support/contract.js';
import { asAccount, openIdentityStub } from '../support/identity-stub.js';
import { newDatabaseName, sharedPostgres } from '../support/postgres.js';
import { testFolder } from '../support/test-folder.js';
import { openWorker } from '../worker/open-worker.js';
import {
  contentsOf,
  type FileContents,
  makeShopFile,
  runSuccessfully,
  runWithKey,
} from './shop-file.js';

const ACCOUNTS = ['auth0|duka/ya pili?&=%#', '..', '.', 'Ünïcode ✂', '42', "O'Neill", '%2e%2e'];
const OWNER = ACCOUNTS[0] ?? '';
const MAINTENANCE = { MAINTENANCE: 'on' };
/** A gap, as a rolled-back statement leaves one. */
const GIVE_THE_LAST_EVENT_A_LATER_ID = `
  with last as (delete from audit_events where id = 1100 returning event)
    insert into audit_events (event) select event from last`;

const { at } = testFolder(beforeAll);
let before: FileContents;

beforeAll(async () => {
  await makeShopFile(at('shop.db'), { accounts: ACCOUNTS, records: 1_400, events: 1_100 });
  before = await contentsOf(at('shop.db'));
}, 60_000);

describe('A dump from a file', () => {
  it('moves through Postgres and Workers into a file with the same digest, and users and the operator see no change', async () => {
    const digests = new Set<string>();
    const move = async (args: readonly string[], settings: Record<string, string> = {}) => {
      const printed = await runSuccessfully(args, settings);
      digests.add(printed.slice(printed.indexOf('1400 records')));
    };
    const [server, name] = [await sharedPostgres(), newDatabaseName()];
    const postgres = { DATABASE_URL: await server.make(name) };
    await move(['dump', '--from', at('shop.db'), '--to', at('file.ndjson')]);
    await move(['load', at('file.ndjson')], postgres);
    await server.sql(name, GIVE_THE_LAST_EVENT_A_LATER_ID);
    await move(['dump', '--to', at('postgres.ndjson')], postgres);

    const workers = await openWorker(at('objects'), MAINTENANCE);
    const load = ['load', at('postgres.ndjson'), '--to', workers.origin];
    // An interrupted load leaves nothing.
    const cut = gzipSync(await readFile(at('postgres.ndjson'))).subarray(0, -100);
    expect((await workers.maintain('PUT', {}, cut)).status).toBe(422);
    await move(load);
    const again = await runWithKey(load);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('holds records')]);
    await move(['dump', '--from', workers.origin, '--to', at('workers.ndjson')]);
    await workers.stop();
    await move(['load', at('workers.ndjson'), '--to', at('back.db')]);
    expect(await contentsOf(at('back.db'))).toEqual(before);
    const digest = /^1400 records and 1100 audit events, contents \w{64}\n$/;
    expect([...digests]).toEqual([expect.stringMatching(digest)]);

    await using identity = await openIdentityStub();
    const served = await openWorker(at('objects'), { AUTH_USERINFO_URL: identity.url });
    const orders = before.records.flatMap(([collection, , body]) => {
      const order = JSON.parse(String(body));
      return collection === 'orders' && order.owner_sub === OWNER ? [order] : [];
    });
    const list = await served.ask('GET', '/orders?page_size=100', asAccount(OWNER));
    const { data, meta } = list.json;
    expect(meta.pagination.total).toBe(orders.length);
    expect(data).toEqual(orders.toReversed().slice(0, 100));
    const audit = (await served.ask<Row[]>('GET', '/admin/audit?page_size=200&page=3')).json;
    const events = audit.data.map(({ id: _, ...event }) => event);
    const wanted = before.events.toReversed().slice(400, 600);
    expect(events).toEqual(wanted.map((event) => JSON.parse(event)));
    const created = await served.ask('POST', '/orders', asAccount(OWNER), VALID_BODY.orders);
    expect(created.json.data.id).toBe(formatId('orders', before.sequences['orders'] + 1));
    expect((await served.maintain('GET')).status).toBe(404);
    await served.stop();
  }, 60_000);

  it('is NDJSON with a head, a line for each record and event, and a digest', async () => {
    const lines = (await readFile(at('file.ndjson'), 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 1_400 + 1_100 + 2);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ version: 1, release: '0.1.0' });
    const names = 'collection,id,owner,created_at,updated_at,body';
    expect(Object.keys(JSON.parse(lines[1] ?? '')).join()).toBe(names);
    expect(lines.at(-1)).toMatch(/^{"sha256":"\w{64}"}$/);
  });
});

describe('A Worker under maintenance', () => {
  it('is read-only, and serves and accepts no dump without the operator’s key', async () => {
    const workers = await openWorker(at('maintained'), MAINTENANCE);
    const path = '/admin/accounts/amina/orders';
    const write = await workers.ask('POST', path, {}, VALID_BODY.orders);
    expect([write.status, write.json.error?.code]).toEqual([500, 'STORAGE_FAILED']);
    const other = { 'X-Service-Admin-Key': 'x'.repeat(40) };
    expect((await workers.maintain('GET', other)).status).toBe(401);
    expect((await workers.maintain('PUT', other, Buffer.from('x'))).status).toBe(401);
    await workers.stop();
  });
});

// Accounts from a file to the Postgres of a fleet and back: every record, id, time, place, audit
// event and highest number is what it was.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHARD_COUNT } from '../../src/storage/postgres/shards.js';
import { SHORT_WAITS } from '../support/data-command.js';
import { openFleet, type TestFleet } from '../support/fleet.js';
import { type IdentityStub, openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { openLine } from '../support/line.js';
import { moveHere, startMove } from '../support/move-command.js';
import { contentsOf, type FileContents, makeShopFile } from '../support/shop-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const ACCOUNTS = ['auth0|duka/ya pili?&=%#', '..', '.', 'Ünïcode ✂', '42', "O'Neill", '%2e%2e'];

let folder: TemporaryFolder;
let identity: IdentityStub;
let fleet: TestFleet;
let url: string;
let before: FileContents;

const at = (name: string) => join(folder.path, name);
const moveIn = (file = 'shop.db') => moveHere(['--from', at(file), '--to', url]);

beforeAll(async () => {
  folder = await openTemporaryFolder();
  identity = await openIdentityStub();
  await makeShopFile(at('shop.db'), { accounts: ACCOUNTS, records: 7_000, events: 1_100 });
  before = await contentsOf(at('shop.db'));
});
afterAll(async () => {
  await identity.close();
  await folder.remove();
});

/** A fleet's database for the tests of one group. */
function ownDatabase() {
  beforeAll(async () => {
    fleet = await openFleet(identity.url);
    url = String(fleet.environment['DATABASE_URL']);
  });
  afterAll(() => fleet.close());
}

async function expectSame(name: string): Promise<void> {
  const back = await contentsOf(at(name));
  expect([...back.accounts.keys()].sort()).toEqual([...ACCOUNTS].sort());
  for (const owner of ACCOUNTS) {
    expect(back.accounts.get(owner), owner).toEqual(before.accounts.get(owner));
  }
  expect(back.events).toEqual(before.events);
  expect(back.sequences).toEqual(before.sequences);
}

describe('A move from a file to Postgres and back', () => {
  ownDatabase();

  it('brings every account there, and changes nothing when it is run again', async () => {
    const first = await moveIn();
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toContain(
      '7 accounts with 7000 records, and 1100 audit events, are there',
    );
    const second = await moveIn();
    expect(second.code, second.stderr).toBe(0);
    expect(second.stdout).toContain('7000 of the records were there before this run');
    const [events] = await fleet.sql('select count(*)::integer as count from audit_events');
    expect(events).toEqual({ count: 1_100 });
  });

  it('comes back the same, and leaves no index of its own', async () => {
    const { code, stdout, stderr } = await moveHere(['--from', url, '--to', at('back.db')]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('7 accounts with 7000 records, and 1100 audit events');
    expect(stdout).toContain('no id changed');
    await expectSame('back.db');
    const indexes = await fleet.sql(
      "select 1 from pg_indexes where indexname = 'records_by_account'",
    );
    expect(indexes).toEqual([]);
  });

  it('brings one account back alone, with its own audit events', async () => {
    const [owner = ''] = ACCOUNTS;
    const args = ['--from', url, '--to', at('one.db'), '--account', owner];
    expect(await moveHere(args)).toMatchObject({ code: 0 });
    const { accounts, events } = await contentsOf(at('one.db'));
    expect([...accounts]).toEqual([[owner, before.accounts.get(owner)]]);
    expect(events).toEqual(before.events.filter((event) => JSON.parse(event).owner_sub === owner));
  });

  it('refuses while a process of the fleet runs, and takes over from one that was killed', async () => {
    const server = await fleet.start();
    expect(await moveIn()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /1 processes of the fleet run, such as http.*; stop all of them/,
      ),
    });
    await server.stop('SIGKILL');
    expect(await moveIn()).toMatchObject({ code: 0 });
  });

  it('is the same to users and to the operator, and gives the next ids after the highest ones', async () => {
    const server = await fleet.start();
    const [owner = ''] = ACCOUNTS;
    const ask = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${server.origin}/api/v1${path}`, init)).json();
    const signedIn = { headers: { Authorization: `Bearer ${tokenOf(owner)}` } };
    const { data, meta } = await ask('/orders?page_size=100', signedIn);
    const orders = (before.accounts.get(owner) ?? []).filter(([name]) => name === 'orders');
    expect(meta.pagination.total).toBe(orders.length);
    expect(data).toEqual(
      orders
        .toReversed()
        .slice(0, 100)
        .map(([, , body]) => JSON.parse(String(body))),
    );
    const operator = {
      headers: { 'X-Service-Admin-Key': String(fleet.environment['ADMIN_API_KEY']) },
    };
    expect((await ask('/admin/usage', operator)).data).toMatchObject({
      record_count: 7_000,
      audit_event_count: 1_100,
    });
    const made = await ask('/customers', {
      method: 'POST',
      body: JSON.stringify({ name: 'Asha', phone: '1' }),
      ...signedIn,
    });
    const number = Number(made.data.id.split('-')[1]);
    const highest = before.sequences['customers'] ?? 0;
    expect(number).toBeGreaterThan(highest);
    expect(number).toBeLessThanOrEqual(highest + SHARD_COUNT);
    await server.stop();
  });

  it('refuses an account that was used there alone, and moves the others', async () => {
    const { code, stdout } = await moveIn();
    expect(code).toBe(1);
    expect(stdout).toContain('6 accounts with');
    expect(stdout).toContain(
      `not moved: ${JSON.stringify(ACCOUNTS[0])}: the account has other records there`,
    );
  });

  it('refuses an account whose ids another account there has', async () => {
    await makeShopFile(at('other.db'), { accounts: ['mgeni'], records: 50, events: 0 });
    const { code, stdout } = await moveIn('other.db');
    expect(code).toBe(1);
    expect(stdout).toContain(
      'not moved: "mgeni": another account there has a record with an id of this one',
    );
    const rows = await fleet.sql("select 1 from records where owner = 'mgeni'");
    expect(rows).toEqual([]);
  });
});

describe('A move to Postgres that does not go well', () => {
  ownDatabase();

  it('goes on after it was killed, and then brings all of it', async () => {
    // One account takes two seconds, so that the end comes in its midst, and its connection outlives the move.
    await makeShopFile(at('none.db'), { accounts: ['x'], records: 0, events: 0 });
    expect(await moveIn('none.db')).toMatchObject({ code: 0 });
    await fleet.sql(`create function slow() returns trigger language plpgsql as
      $$ begin perform pg_sleep(2); return new; end $$`);
    await fleet.sql(`create trigger slow before insert on account_totals
      for each row when (new.owner = '..') execute function slow()`);
    const move = startMove(['--from', at('shop.db'), '--to', url]);
    const owners = async () =>
      (await fleet.sql('select distinct owner from account_totals')).map(({ owner }) => owner);
    while ((await owners()).length < ACCOUNTS.length - 1) await delay(20);
    await move.stop('SIGKILL');
    expect(await owners()).not.toContain('..');
    await fleet.sql('drop trigger slow on account_totals');
    expect(await moveIn()).toMatchObject({ code: 0 });
    expect(await moveHere(['--from', url, '--to', at('killed.db')])).toMatchObject({ code: 0 });
    await expectSame('killed.db');
  });
});

describe('A move to Postgres over a line that breaks', () => {
  ownDatabase();

  it('brings all of it once, and shows no password', async () => {
    const line = await openLine(fleet.postgres.port);
    const through = new URL(url);
    through.port = String(line.port);
    through.password = 'siri-ya-mtihani';
    /** Five cuts from the moment on at which the move has begun. */
    const cuts = async (hasBegun: () => Promise<boolean>) => {
      while (!(await hasBegun())) await delay(5);
      for (let cut = 0; cut < 5; cut++) {
        line.set('cut');
        line.set('open');
        await delay(50);
      }
    };
    const waits = { ...SHORT_WAITS, patienceMs: 60_000 };
    const [there] = await Promise.all([
      moveHere(['--from', at('shop.db'), '--to', through.href], { waits }),
      cuts(
        async () => (await fleet.sql('select 1 from account_totals').catch(() => [])).length > 0,
      ),
    ]);
    const [back] = await Promise.all([
      moveHere(['--from', through.href, '--to', at('broken.db')], { waits }),
      cuts(async () => existsSync(at('broken.db.moving'))),
    ]);
    await line.close();
    expect(there.code, there.stderr).toBe(0);
    expect(back.code, back.stderr).toBe(0);
    expect(there.stderr + back.stderr).toContain('waiting');
    expect(there.stdout + there.stderr + back.stdout + back.stderr).not.toContain('siri');
    await expectSame('broken.db');
  });
});

it('A URL without a database is refused before anything is opened', async () => {
  const { code, stderr } = await moveHere([
    '--from',
    at('shop.db'),
    '--to',
    'postgres://db.internal',
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain('--to is no URL of a database');
});

it('A database of the first version gets what the present one adds at the next start, and takes what a process of that version writes', async () => {
  const old = await openFleet(identity.url);
  try {
    const server = await old.start();
    await server.stop();
    await old.sql('drop index audit_events_by_name');
    await old.sql('alter table audit_events drop column name');
    await old.sql('update service_schema set version = 1');
    const again = await old.start();
    await again.stop();
    expect(await old.sql('select version from service_schema')).toEqual([{ version: 2 }]);
    expect(await old.sql("insert into audit_events (event) values ('{}') returning name")).toEqual([
      { name: null },
    ]);
  } finally {
    await old.close();
  }
});

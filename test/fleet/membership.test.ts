// Who is of the fleet, and until when a process may answer: over the tables of a real Postgres, by
// clocks of the test.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Membership } from '../../src/hosts/fleet/membership.js';
import { FleetTable } from '../../src/storage/postgres/fleet-table.js';
import { PostgresPool } from '../../src/storage/postgres/postgres-pool.js';
import { prepareSchema } from '../../src/storage/postgres/postgres-schema.js';
import { newDatabaseName, sharedPostgres } from '../support/postgres.js';

const database = newDatabaseName();
let pool: PostgresPool;
beforeAll(async () => {
  const url = await (await sharedPostgres()).make(database);
  pool = new PostgresPool({ url, max: 2, applicationName: 'test' });
  await prepareSchema(pool, async () => {});
});
afterAll(async () => {
  await pool.close();
  await (await sharedPostgres()).drop(database);
});

let time: { now: number; clock: number };
let ids: number;
let expelled: string[];
beforeEach(() => {
  time = { now: 1_000, clock: 1_700_000_000_000 };
  ids = 0;
  expelled = [];
});
afterEach(() => pool.run('delete from processes'));

function pass(milliseconds: number): void {
  time.now += milliseconds;
  time.clock += milliseconds;
}

async function joined(name: string): Promise<Membership> {
  const membership = new Membership({
    table: new FleetTable(pool),
    url: `http://${name}`,
    release: 'test',
    now: () => time.now,
    clock: () => time.clock,
    newId: () => `${name} ${++ids}`,
    onExpelled: () => expelled.push(name),
  });
  await membership.join();
  return membership;
}

/** So many looks, 0.3 s apart. */
async function look(membership: Membership, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    pass(300);
    await membership.step();
  }
}

const living = async () => {
  const { rows } = await pool.run<{ url: string }>('select url from processes order by url');
  return rows.map(({ url }) => url);
};

describe('A process of a fleet', () => {
  it('may answer for 2.5 s after it asked for its last sign of life', async () => {
    const one = await joined('one');
    pass(2_499);
    expect(one.mayServe()).toBe(true);
    pass(1);
    expect(one.mayServe()).toBe(false);
    await one.step();
    expect(one.mayServe()).toBe(true);
  });

  it('may not answer after the machine slept, while its own clock stood still', async () => {
    const one = await joined('one');
    time.clock += 10_000;
    expect(one.mayServe()).toBe(false);
  });

  it('expels one that gives no sign of life for 3 s, and frees its shards', async () => {
    const [one, two] = [await joined('one'), await joined('two')];
    await pool.run('update shards set holder = $1 where shard < 3', [two.id]);
    await look(one, 10);
    expect(await living()).toEqual(['http://one', 'http://two']);
    await look(one, 2);
    expect(await living()).toEqual(['http://one']);
    await one.step();
    expect(one.state.holders.slice(0, 4)).toEqual([null, null, null, null]);
  });

  it('begins anew where it was expelled, and may not answer before it has looked', async () => {
    const [one, two] = [await joined('one'), await joined('two')];
    const before = two.id;
    await look(one, 12);
    await two.step();
    expect(expelled).toEqual(['two']);
    expect(two.id).not.toBe(before);
    expect(two.mayServe()).toBe(false);
    await two.step();
    expect(two.mayServe()).toBe(true);
  });

  it('expels nobody after a pause in which it saw nothing, as of a Postgres that was away', async () => {
    const [one] = [await joined('one'), await joined('two')];
    await look(one, 2);
    pass(20_000);
    await look(one, 9);
    expect(await living()).toEqual(['http://one', 'http://two']);
  });

  it('is not expelled while it gives signs', async () => {
    const [one, two] = [await joined('one'), await joined('two')];
    for (let i = 0; i < 20; i++) {
      await look(one, 1);
      if (i % 5 === 0) await two.step();
    }
    expect(await living()).toEqual(['http://one', 'http://two']);
  });
});

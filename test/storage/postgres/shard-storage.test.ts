// The storage of one shard over a real Postgres: the ports' promises, and what is certain about a
// commit whose connection was lost.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordStorage, StoredViews } from '../../../src/core/records/record-storage.js';
import { FleetTable } from '../../../src/storage/postgres/fleet-table.js';
import { GroupCommit } from '../../../src/storage/postgres/group-commit.js';
import { PostgresPool } from '../../../src/storage/postgres/postgres-pool.js';
import { prepareSchema } from '../../../src/storage/postgres/postgres-schema.js';
import { PostgresTotals } from '../../../src/storage/postgres/postgres-views.js';
import { openShard, type ShardStorage } from '../../../src/storage/postgres/shard-storage.js';
import { eventually } from '../../support/eventually.js';
import {
  newDatabaseName,
  openPostgres,
  type PostgresServer,
  sharedPostgres,
} from '../../support/postgres.js';
import { changes, conformanceOf, loaded, row } from '../storage-conformance.js';
import { viewsConformanceOf } from '../views-conformance.js';

/** A storage of one shard alone, each opening with connections of its own. */
async function openIn(url: string): Promise<RecordStorage & StoredViews> {
  const pool = new PostgresPool({ url, max: 2, applicationName: 'test' });
  await prepareSchema(pool, async () => {});
  const storage = await openShard({
    group: new GroupCommit(pool),
    shard: 0,
    holder: 'test',
    byForce: true,
  });
  if (storage === undefined) throw new Error('the shard was not taken');
  const totals = new PostgresTotals(pool);
  return {
    bodyMaxBytes: storage.bodyMaxBytes,
    load: () => storage.load(),
    sequences: () => storage.sequences(),
    commit: (changes) => storage.commit(changes),
    usage: (times) => totals.usage(times),
    auditEvents: (page) => totals.auditEvents(page),
    ping: () => totals.ping(),
    async close() {
      await storage.close();
      await pool.close();
    },
  };
}

async function makeHome() {
  const [server, name] = [await sharedPostgres(), newDatabaseName()];
  const url = await server.make(name);
  return {
    open: () => openIn(url),
    refuseEvents: async () => {
      await server.sql(name, 'alter table audit_events add check (event is null) not valid');
    },
    remove: () => server.drop(name),
  };
}

conformanceOf('a shard in Postgres', makeHome);
viewsConformanceOf('a shard in Postgres', makeHome);

describe('A commit to Postgres', () => {
  let server: PostgresServer;
  const name = newDatabaseName();
  let url: string;
  beforeAll(async () => {
    server = await sharedPostgres();
    url = await server.make(name);
  });
  afterAll(() => server.drop(name));

  it('is stored once, and confirmed, where every connection ends under it', async () => {
    const storage = await openIn(url);
    // Each commit takes 50 ms, so that the end comes in its midst.
    await slowInserts(server, name, 0.05, 'row');
    const outcomes: string[] = [];
    for (let position = 1; position <= 10; position++) {
      const committing = storage.commit(changes({ puts: [row(position)] }));
      await new Promise((resolve) => setTimeout(resolve, position * 8));
      await server.sql(
        name,
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
      );
      outcomes.push((await committing).status);
    }
    expect(outcomes).toEqual(outcomes.map(() => 'committed'));
    expect((await loaded(storage)).map(({ position }) => position)).toEqual(
      outcomes.map((_, i) => i + 1),
    );
    await storage.close();
  });

  it('is not stored where Postgres refuses it, and the next one is', async () => {
    const storage = await openIn(url);
    const twice = { ...row(101), id: row(1).id };
    const refused = await storage.commit(changes({ puts: [row(100), twice] }));
    expect(refused.status).toBe('notStored');
    expect((await storage.commit(changes({ puts: [row(102)] }))).status).toBe('committed');
    const positions = (await loaded(storage)).map(({ position }) => position);
    expect(positions.slice(-1)).toEqual([102]);
    await storage.close();
  });

  it('leaves no name of an account without a record', async () => {
    const storage = await openIn(url);
    const owned = { ...row(200, '{"id":"CUS-0200","owner_sub":"to be erased"}') };
    await storage.commit(changes({ puts: [owned] }));
    const totals = () => server.sql(name, "select * from account_totals where owner like 'to be%'");
    expect(await totals()).toMatchObject([{ collection: 'customers', records: '1' }]);
    await storage.commit(changes({ removals: [200] }));
    expect(await totals()).toEqual([]);
    await storage.close();
  });
});

describe('Commits of several shards at the same time', () => {
  let server: PostgresServer;
  let pool: PostgresPool;
  let shards: ShardStorage[];
  const name = newDatabaseName();
  const own = (shard: number, position: number) => ({
    ...row(position, `{"id":"CUS-${shard}-${position}"}`),
    id: `CUS-${shard}-${position}`,
  });
  beforeAll(async () => {
    server = await sharedPostgres();
    pool = new PostgresPool({ url: await server.make(name), max: 4, applicationName: 'test' });
    await prepareSchema(pool, async () => {});
    const group = new GroupCommit(pool);
    const opened = Array.from({ length: 20 }, (_, shard) =>
      openShard({ group, shard, holder: 'test' }),
    );
    shards = (await Promise.all(opened)).filter((each) => each !== undefined);
    expect(shards).toHaveLength(20);
  });
  afterAll(async () => {
    await pool.close();
    await server.drop(name);
  });
  const all = (
    position: number,
    change: (shard: number) => Parameters<typeof changes>[0] = () => ({}),
  ) =>
    Promise.all(
      shards.map(async (storage, shard) => {
        const all = changes({ puts: [own(shard, position)], ...change(shard) });
        return (await storage.commit(all)).status;
      }),
    );
  const positions = async () =>
    Promise.all(
      shards.map(async (storage) => (await loaded(storage)).map(({ position }) => position)),
    );

  it('share a few statements', async () => {
    const transactions = async () => {
      const [row] = await server.sql(
        name,
        'select max(xmin::text::bigint) - min(xmin::text::bigint) + 1 as count from records where position = 1',
      );
      return Number(row?.['count']);
    };
    expect(await all(1)).toEqual(shards.map(() => 'committed'));
    expect(await transactions()).toBeLessThan(5);
    expect(await positions()).toEqual(shards.map(() => [1]));
  });

  it('are refused one by one: the others are stored', async () => {
    const statuses = await all(2, (shard) =>
      shard === 7 ? { puts: [own(7, 2), { ...own(7, 3), id: own(7, 1).id }] } : {},
    );
    expect(statuses).toEqual(shards.map((_, shard) => (shard === 7 ? 'notStored' : 'committed')));
    expect(await positions()).toEqual(shards.map((_, shard) => (shard === 7 ? [1] : [1, 2])));
  });

  it('are overtaken one by one: the others are stored', async () => {
    await server.sql(name, 'update shards set epoch = epoch + 1 where shard = 3');
    const statuses = await all(4);
    expect(statuses).toEqual(shards.map((_, shard) => (shard === 3 ? 'unknown' : 'committed')));
    expect((await positions())[3]).toEqual([1, 2]);
  });

  it('are each stored once where every connection ends under them', async () => {
    await server.sql(name, 'update shards set epoch = epoch - 1 where shard = 3');
    await slowInserts(server, name, 0.5, 'statement');
    const committing = all(5);
    const slow = "from pg_stat_activity where wait_event = 'PgSleep'";
    await eventually(async () =>
      expect(await server.sql(name, `select 1 ${slow}`)).not.toHaveLength(0),
    );
    await server.sql(name, `select pg_terminate_backend(pid) ${slow}`);
    expect(await committing).toEqual(shards.map(() => 'committed'));
    for (const each of await positions()) expect(each.filter((one) => one === 5)).toEqual([5]);
  });
});

describe('A server whose standby does not answer, as after a fail-over', () => {
  it('is asked in vain for views, signs and shards: what it shows may not be kept', async () => {
    const server = await openPostgres();
    const name = newDatabaseName();
    const pool = new PostgresPool({
      url: await server.make(name),
      max: 4,
      applicationName: 'test',
    });
    try {
      await prepareSchema(pool, async () => {});
      const table = new FleetTable(pool);
      await table.join({ id: 'one', url: 'http://127.0.0.1:1', release: '1' });
      await server.sql(name, "alter system set synchronous_standby_names = 'gone'");
      await server.sql(name, 'select pg_reload_conf()');
      const asked = Promise.allSettled([
        new PostgresTotals(pool).usage([0, 0, 0]),
        openShard({ group: new GroupCommit(pool), shard: 0, holder: 'one' }),
        table.beat('one'),
      ]);
      const waits = "from pg_stat_activity where wait_event = 'SyncRep'";
      await eventually(async () =>
        expect(await server.sql(name, `select 1 ${waits}`)).toHaveLength(3),
      );
      await server.sql(name, `select pg_cancel_backend(pid) ${waits}`);
      const reasons = (await asked).map(
        (each) => each.status === 'rejected' && each.reason.message,
      );
      expect(reasons).toEqual(Array(3).fill(expect.stringContaining('does not confirm it')));
    } finally {
      await pool.close();
      await server.close();
    }
  });
});

async function slowInserts(
  server: PostgresServer,
  database: string,
  seconds: number,
  each: 'row' | 'statement',
) {
  const body = `$$ begin perform pg_sleep(${seconds}); return new; end $$`;
  await server.sql(database, `create function slow() returns trigger language plpgsql as ${body}`);
  const when = `before insert on records for each ${each}`;
  await server.sql(database, `create trigger slow ${when} execute function slow()`);
}

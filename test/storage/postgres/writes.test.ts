// Writes over Postgres: what is stored, and what clients are told, whatever happens to the
// connection.

import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { batched } from '../../../src/storage/postgres/batching.js';
import { VALID_BODY } from '../../support/collection-table.js';
import { openPostgres } from '../../support/postgres.js';
import { openTcpProxy } from '../../support/tcp-proxy.js';
import { customer, messageIn, newDatabase, newRecords, openRecords, recordIn } from './records.js';

/** Reports another server process to each client, as a pooler does. */
function changePid(bytes: Buffer): void {
  const at = bytes.indexOf(BACKEND_KEY_DATA);
  if (at !== -1) bytes.writeUInt32BE(1, at + BACKEND_KEY_DATA.length);
}

/** The message's type and length in Postgres' protocol, before the pid. */
const BACKEND_KEY_DATA = Buffer.from('K\0\0\0\x0c');

/** One account with a record, over a proxy, and what a test does to it. */
async function openOverProxy({ isPooled = false } = {}) {
  const { name, url, port, sql } = await newDatabase();
  const proxy = await openTcpProxy(port, isPooled ? changePid : undefined);
  onTestFinished(() => proxy.close());
  const records = await openRecords(url.replace(`:${port}/`, `:${proxy.port}/`));
  const account = records.account('a');
  const { id } = recordIn(await account.create('customers', customer()));
  const waiting = () =>
    sql("select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = $1", [name]);
  return {
    account,
    id,
    proxy,
    sql,
    waiting,
    database: records.database,
    log: records.log,
    /** Blocks writes to a table until it is called. */
    async lock(table: string) {
      const holder = new pg.Client(url);
      await holder.connect();
      await holder.query(`begin; lock table ${table} in exclusive mode`);
      return () => holder.end();
    },
    /** Cuts the proxy while a statement waits for the lock. Resolves with its process. */
    async cut() {
      await expect.poll(waiting).toHaveLength(1);
      const found = await waiting();
      proxy.set('cut');
      return found;
    },
  };
}

it.each([
  ['create', { version: 1, records: '2' }],
  ['PATCH', { version: 2, records: '1' }],
])('A %s whose connection is lost is stored once, and acknowledged', async (kind, wanted) => {
  const { account, id, proxy, lock, cut, sql } = await openOverProxy();
  const unlock = await lock('account_totals');
  const changing =
    kind === 'PATCH'
      ? account.update('customers', id, '{"note":"x"}')
      : account.create('customers', customer({ note: 'x' }));
  await cut();
  proxy.set('open');
  await unlock();
  const changed = recordIn(await changing);
  expect(changed['note']).toBe('x');
  const stored = 'select version, t.records from records, account_totals t where id = $1';
  expect(await sql(stored, [changed.id])).toEqual([wanted]);
});

it('Writes are retried if a pooler reports that it lost its server', async () => {
  const { account, sql } = await newRecords();
  await sql(
    `create sequence tries;
     create function fail_once() returns trigger language plpgsql as $$ begin
       if nextval('tries') = 1 then raise sqlstate '08006'; end if; return new; end $$;
     create trigger fail_once before insert on records for each row execute function fail_once()`,
  );
  expect(recordIn(await account('a').create('customers', customer())).id).toBeDefined();
});

it('Writes are terminated in Postgres before a retry, so that none is stored late', async () => {
  const { account, id, proxy, lock, cut, waiting } = await openOverProxy();
  const unlock = await lock('records');
  const deleting = account.delete('customers', id);
  const before = await cut();
  proxy.set('open');
  // The second attempt waits for the lock, too, and the first has ended.
  await expect.poll(waiting).toEqual([expect.not.objectContaining(before[0] ?? {})]);
  await unlock();
  expect(await deleting).toEqual({ ok: true, value: id });
});

it('A DELETE that finds no row after a lost connection is logged as unknown', async () => {
  const { account, id, proxy, lock, cut, sql, log } = await openOverProxy();
  const unlock = await lock('records');
  const deleting = account.delete('customers', id);
  await cut();
  await unlock();
  await sql('delete from records');
  proxy.set('open');
  expect(messageIn(await deleting)).toMatch(/read the record before trying again/);
  expect(log.lines.map(({ event }) => event)).toContain('storage_commit_failed');
});

it('A write lost behind a pooler is reported as unknown and not retried', async () => {
  const { account, id, proxy, lock, cut, database } = await openOverProxy({ isPooled: true });
  const unlock = await lock('records');
  const deleting = account.delete('customers', id);
  await cut();
  proxy.set('open');
  expect(messageIn(await deleting)).toMatch(/read the record before trying again/);
  expect(database.figures.retries).toBe(0);
  await unlock();
});

it('Writes fail with "nothing was changed" if never sent, and as unknown once sent', async () => {
  const { account, proxy, lock, waiting } = await openOverProxy();
  let begun = performance.now();
  proxy.set('cut');
  // Later attempts get no response at all.
  setTimeout(() => proxy.set('stalled'), 3_000);
  await expect(account.create('customers', customer())).rejects.toMatchObject({
    failure: { code: 'STORAGE_UNAVAILABLE', retryAfterSeconds: 2 },
  });
  expect(performance.now() - begun).toBeLessThan(6_000);
  proxy.set('open');
  const unlock = await lock('account_totals');
  begun = performance.now();
  const message = messageIn(await account.create('customers', customer()));
  expect(message).toMatch(/read the record before/);
  expect(performance.now() - begun).toBeGreaterThan(4_900);
  // What waited for the lock does not wait forever.
  await expect.poll(waiting).toEqual([]);
  await unlock();
}, 60_000);

const CANCEL = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'";
const PROBE = 'create table if not exists probe (); drop table probe';
it('Writes are not acknowledged if the wait for a synchronous standby was cancelled', async () => {
  const own = await openPostgres();
  onTestFinished(() => own.close());
  const records = await openRecords(await own.make('waits'));
  await own.sql('waits', "alter system set synchronous_standby_names = 'nobody'");
  await own.sql('waits', 'select pg_reload_conf()');
  const cancelled = async () => (await own.sql('waits', CANCEL)).length === 1;
  // The server applies the setting some time after the reload: once a commit waits.
  for (let isInForce = false; !isInForce; ) {
    const ended: unknown[] = [];
    const probe = own.sql('waits', PROBE).then((rows) => ended.push(rows));
    while (ended.length === 0 && !isInForce) isInForce = await cancelled();
    await probe;
  }
  const creating = records.account('a').create('customers', customer());
  await expect.poll(cancelled).toBe(true);
  expect(messageIn(await creating)).toMatch(/read the record before trying again/);
}, 60_000);

it('Writes keep exact totals, whichever processes and collections they go to', async () => {
  const limits = { maxRecords: 10, maxBytes: 20_000 };
  const { account, url, sql } = await newRecords(limits);
  const accounts = [account('a'), (await openRecords(url, limits)).account('a')];
  const bodies = { customers: customer(), expenses: JSON.stringify(VALID_BODY.expenses) };
  const create = async (to: (typeof accounts)[number], name: keyof typeof bodies) => {
    const outcome = await to.create(name, bodies[name]);
    if (!outcome.ok) expect(messageIn(outcome)).toMatch(/^QUOTA_EXCEEDED: .*10 rec/);
    return outcome.ok ? [() => to.update(name, recordIn(outcome).id, note)] : [];
  };
  const note = JSON.stringify({ note: 'x'.repeat(3_000) });
  const creates = Array.from({ length: 10 }, () => accounts).flatMap((both) =>
    both.flatMap((to) => [create(to, 'customers'), create(to, 'expenses')]),
  );
  const updates = (await Promise.all(creates)).flat();
  expect(updates).toHaveLength(10);
  const updated = await Promise.all(updates.map((update) => update()));
  expect(updated.filter(({ ok }) => ok)).toHaveLength(6);
  const sizes = `select sum(octet_length(body)) <= 20000 as fits,
      sum(octet_length(body)) = (select sum(bytes) from account_totals) as counted from records`;
  expect(await sql(sizes)).toEqual([{ fits: true, counted: true }]);
});

it('Writes succeed with serializable and a short statement timeout as defaults', async () => {
  const { name, url, sql } = await newDatabase();
  await sql(`alter database ${name} set default_transaction_isolation = 'serializable'`);
  await sql(`alter database ${name} set statement_timeout = '2s'`);
  const both = [await openRecords(url), await openRecords(url)];
  const creates = Array.from({ length: 30 }, () => both).flatMap((processes) =>
    processes.map(({ account }) => account('a').create('customers', customer())),
  );
  expect((await Promise.all(creates)).every(({ ok }) => ok)).toBe(true);
  expect(both.map(({ database }) => database.figures.retries)).toEqual([0, 0]);
});

it('Concurrent writes share a batch until it is full, or has a million characters', async () => {
  const batches: number[] = [];
  const statement = { name: '', text: '', batchMax: 3, isSlow: false, isWrite: true };
  const run = batched(statement, async (_, batch) => {
    batches.push(batch.length);
    return [];
  });
  const texts = [1, 1, 1, 1, 1_000_001, 1].map((length) => 'x'.repeat(length));
  await Promise.all(texts.map((text) => run([text], { until: 0, isInDoubt: false })));
  expect(batches).toEqual([3, 1, 1, 1]);
});

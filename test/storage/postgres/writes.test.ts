// Writes over Postgres: what is stored, and what their senders are told, whatever becomes of the
// connection. Two of `openRecords` on one database are two processes.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { VALID_BODY } from '../../support/collection-table.js';
import { eventually } from '../../support/eventually.js';
import { type Line, openLine } from '../../support/line.js';
import { newDatabaseName, openPostgres, type PostgresServer } from '../../support/postgres.js';
import { customer, messageIn, openRecords, type Records, recordIn, rowsIn } from './records.js';

let server: PostgresServer;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  server = await openPostgres();
});
afterAll(() => server.close());
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function open(url: string, limits?: Parameters<typeof openRecords>[1]): Promise<Records> {
  const records = await openRecords(url, limits);
  closers.push(() => records.close());
  return records;
}

async function newDatabase() {
  const name = newDatabaseName();
  return { name, url: await server.make(name) };
}

/** Records whose connections go over a line. */
async function overLine(): Promise<{ name: string; line: Line; records: Records }> {
  const { name, url } = await newDatabase();
  const line = await openLine(server.port);
  closers.push(() => line.close());
  const records = await open(url.replace(`:${server.port}/`, `:${line.port}/`));
  return { name, line, records };
}

/** Keeps writes of a table waiting until it is called. */
async function lock(name: string, table: string): Promise<() => Promise<unknown>> {
  const text = `begin; lock table ${table} in exclusive mode; select pg_sleep(60)`;
  const locking = server.sql(name, text);
  locking.catch(() => {});
  const [holder] = await eventually(async () => {
    const held = `select pid from pg_locks where relation = '${table}'::regclass and mode = 'ExclusiveLock' and granted`;
    const found = await server.sql(name, held);
    expect(found).toHaveLength(1);
    return found;
  });
  return async () => {
    await server.sql(name, 'select pg_terminate_backend($1)', [holder?.['pid']]);
    await locking.catch(() => {});
  };
}

const WAITING = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = $1";

/** Cuts the line while a statement waits for the lock, then lets the next attempt through. */
async function loseConnection(name: string, line: Line, unlock: () => Promise<unknown>) {
  await eventually(async () => expect(await server.sql(name, WAITING, [name])).toHaveLength(1));
  line.set('cut');
  line.set('open');
  await unlock();
}

it('store what Postgres takes of a group and tell the others that nothing was changed', async () => {
  const { name, url } = await newDatabase();
  const records = await open(url);
  await server.sql(
    name,
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
     create trigger refuse before insert on records for each row when (new.body like '%refuse-me%') execute function refuse()`,
  );
  const account = records.account('a');
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      account.create('customers', customer(i === 7 ? { note: 'refuse-me' } : {})),
    ),
  );
  expect(outcomes.map(({ ok }) => ok)).toEqual(outcomes.map((_, i) => i !== 7));
  const refused = messageIn(outcomes[7] as (typeof outcomes)[0]);
  expect(refused).toMatch(/^STORAGE_FAILED.*nothing was changed/);
  const { total } = await account.list('customers', { page: 1, pageSize: 20, q: '', status: '' });
  expect(total).toBe(19);
});

it('have a create whose connection was lost stored once, and acknowledged', async () => {
  const { name, line, records } = await overLine();
  const unlock = await lock(name, 'account_totals');
  const creating = records.account('a').create('customers', customer());
  await loseConnection(name, line, unlock);
  const { id } = recordIn(await creating);
  const [stored] = await server.sql(name, 'select id, t.records from records, account_totals t');
  expect(stored).toEqual({ id, records: '1' });
});

it('are tried again where a pooler says that it lost its server', async () => {
  const { name, url } = await newDatabase();
  const records = await open(url);
  await server.sql(
    name,
    `create sequence tries;
     create function fail_once() returns trigger language plpgsql as $$ begin
       if nextval('tries') = 1 then raise sqlstate '08006'; end if; return new; end $$;
     create trigger fail_once before insert on records for each row execute function fail_once()`,
  );
  expect(recordIn(await records.account('a').create('customers', customer())).id).toBeDefined();
});

it('have a PATCH whose connection was lost stored once, and acknowledged', async () => {
  const { name, line, records } = await overLine();
  const account = records.account('a');
  const { id } = recordIn(await account.create('customers', customer()));
  const unlock = await lock(name, 'account_totals');
  const patching = account.update('customers', id, '{"note":"x"}');
  await loseConnection(name, line, unlock);
  expect(recordIn(await patching)['note']).toBe('x');
  expect(await server.sql(name, 'select version from records')).toEqual([{ version: 2 }]);
});

it('end in Postgres before they are sent again, so that none is stored late', async () => {
  const { name, line, records } = await overLine();
  const account = records.account('a');
  const { id } = recordIn(await account.create('customers', customer()));
  const unlock = await lock(name, 'records');
  const deleting = account.delete('customers', id);
  await eventually(async () => expect(await server.sql(name, WAITING, [name])).toHaveLength(1));
  const waiting = "select pid from pg_stat_activity where wait_event_type = 'Lock'";
  const before = await server.sql(name, waiting);
  line.set('cut');
  line.set('open');
  // The second attempt waits for the lock, too, and the first has gone.
  await eventually(async () => {
    const now = await server.sql(name, waiting);
    expect(now).toHaveLength(1);
    expect(now).not.toEqual(before);
  });
  await unlock();
  expect(await deleting).toEqual({ ok: true, value: id });
});

it('say of a DELETE that finds nothing after a lost connection that nobody knows', async () => {
  const { name, line, records } = await overLine();
  const account = records.account('a');
  const { id } = recordIn(await account.create('customers', customer()));
  const unlock = await lock(name, 'records');
  const deleting = account.delete('customers', id);
  await eventually(async () => expect(await server.sql(name, WAITING, [name])).toHaveLength(1));
  line.set('cut');
  await unlock();
  await server.sql(name, 'delete from records');
  line.set('open');
  expect(messageIn(await deleting)).toMatch(/read the record before trying again/);
});

it('are refused with "nothing was changed" where no connection is had, and as open where one was sent', async () => {
  const { name, line, records } = await overLine();
  const account = records.account('a');
  line.set('cut');
  await expect(account.create('customers', customer())).rejects.toMatchObject({
    failure: { code: 'STORAGE_UNAVAILABLE', retryAfterSeconds: 2 },
  });
  line.set('open');
  const unlock = await lock(name, 'account_totals');
  const begun = performance.now();
  expect(messageIn(await account.create('customers', customer()))).toMatch(
    /read the record before/,
  );
  expect(performance.now() - begun).toBeGreaterThan(4_900);
  // What waited for the lock does not wait for ever.
  await eventually(async () => expect(await server.sql(name, WAITING, [name])).toEqual([]));
  await unlock();
}, 60_000);

const CANCEL = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'";
const PROBE = 'create table if not exists probe (); drop table probe';
it('are not acknowledged where the wait for a synchronous standby was cut off', async () => {
  const own = await openPostgres();
  closers.push(() => own.close());
  const records = await open(await own.make('waits'));
  await own.sql('waits', "alter system set synchronous_standby_names = 'nobody'");
  await own.sql('waits', 'select pg_reload_conf()');
  const cancelled = async () => (await own.sql('waits', CANCEL)).length === 1;
  // The server puts the setting in force some time after the reload: once a commit waits.
  for (let isInForce = false; !isInForce; ) {
    const ended: unknown[] = [];
    const probe = own.sql('waits', PROBE).then((rows) => ended.push(rows));
    while (ended.length === 0 && !isInForce) isInForce = await cancelled();
    await probe;
  }
  const creating = records.account('a').create('customers', customer());
  await eventually(async () => expect(await cancelled()).toBe(true));
  expect(messageIn(await creating)).toMatch(/read the record before trying again/);
}, 60_000);

it('keep the quotas of an account exactly, whichever processes and collections they go to', async () => {
  const { url } = await newDatabase();
  const limits = { maxRecords: 10, maxBytes: 0 };
  const processes = [await open(url, limits), await open(url, limits)];
  const create = (i: number) => {
    const account = (processes[i % 2] as Records).account('a');
    if (i % 4 < 2) return account.create('customers', customer());
    return account.create('expenses', JSON.stringify(VALID_BODY.expenses));
  };
  const outcomes = await Promise.all(Array.from({ length: 40 }, (_, i) => create(i)));
  const refused = outcomes.filter(({ ok }) => !ok);
  expect(refused).toHaveLength(30);
  for (const each of refused) expect(messageIn(each)).toMatch(/^QUOTA_EXCEEDED: .*10 records/);
});

it('keep the bytes of an account exactly, also while its records grow', async () => {
  const { name, url } = await newDatabase();
  const limits = { maxRecords: 0, maxBytes: 20_000 };
  const processes = [await open(url, limits), await open(url, limits)];
  const ids = await Promise.all(
    Array.from(
      { length: 10 },
      async () =>
        recordIn(await (processes[0] as Records).account('a').create('customers', customer())).id,
    ),
  );
  const note = JSON.stringify({ note: 'x'.repeat(3_000) });
  const outcomes = await Promise.all(
    ids.map((id, i) => (processes[i % 2] as Records).account('a').update('customers', id, note)),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(6);
  const [stored] = await server.sql(
    name,
    'select sum(octet_length(body)) as bytes, (select bytes from account_totals) as counted from records',
  );
  expect(stored?.['bytes']).toBe(stored?.['counted']);
  expect(Number(stored?.['bytes'])).toBeLessThanOrEqual(20_000);
});

it('succeed under the defaults of somebody else: serializable, and a short statement time-out', async () => {
  const { name, url } = await newDatabase();
  await server.sql(
    name,
    `alter database ${name} set default_transaction_isolation = 'serializable'`,
  );
  await server.sql(name, `alter database ${name} set statement_timeout = '2s'`);
  const [one, other] = [await open(url), await open(url)];
  const creates = Array.from({ length: 60 }, (_, i) =>
    (i % 2 === 0 ? one : other).account('a').create('customers', customer()),
  );
  expect((await Promise.all(creates)).every(({ ok }) => ok)).toBe(true);
  expect(one.database.figures.retries + other.database.figures.retries).toBe(0);
});

it('are found again with everything that text can hold', async () => {
  const { url } = await newDatabase();
  const records = await open(url);
  const account = records.account('nul \0 half \ud800 mark \u0001');
  const status = 'a"\\\u0000\ud800';
  const odd = recordIn(await account.create('orders', orderOf({ status, note: '"\\\n\u001e' })));
  const long = recordIn(await account.create('orders', orderOf({ status: 'é'.repeat(500_000) })));
  const of = async (more: object) => {
    const query = { page: 1, pageSize: 20, q: '', status: '', ...more };
    return (await rowsIn((await account.list('orders', query)).items)).map(({ id }) => id);
  };
  expect(await of({})).toEqual([long.id, odd.id]);
  expect(await of({ status })).toEqual([odd.id]);
  expect(await of({ status: 'é'.repeat(500_000) })).toEqual([long.id]);
  expect(await of({ q: 'É'.repeat(300) })).toEqual([long.id]);
  expect(await of({ q: '\0' })).toEqual([]);
});

it('of long records are listed in order, and their payments, without being held together', async () => {
  const { url } = await newDatabase();
  const account = (await open(url)).account('a');
  const lengths = [10, 100_000, 20, 200_000, 300_000, 30, ...Array(20).fill(150_000)];
  const ids: string[] = [];
  for (const length of lengths) {
    const body = orderOf({ note: 'x'.repeat(length), amount: length, paid: 1 });
    ids.unshift(recordIn(await account.create('orders', body)).id);
  }
  const query = { page: 1, pageSize: 100, q: '', status: '' };
  for (const q of ['', 'x']) {
    const page = await account.list('orders', { ...query, q });
    expect(Array.isArray(page.items)).toBe(false);
    expect((await rowsIn(page.items)).map(({ id }) => id)).toEqual(ids);
  }
  const payments = await account.payments();
  expect(payments.total).toBe(lengths.length);
  const rows = await rowsIn(payments.items);
  expect(rows.map((row) => row['order_id'])).toEqual(ids);
  expect(rows.map((row) => row['amount'])).toEqual(lengths.toReversed());
});

function orderOf(more: object): string {
  return JSON.stringify({ customer: 'c', service: 's', amount: 1, ...more });
}

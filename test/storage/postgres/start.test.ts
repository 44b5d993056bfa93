// What a process finds when it starts: no tables, those of another release or program, an
// unsuitable server or user, a pooler. Also `/ready`, when Postgres later accepts no writes.

import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../scripts/free-port.js';
import { asPostgres, openToPostgres } from '../../../scripts/processes/postgres.js';
import { Database } from '../../../src/storage/postgres/database.js';
import { checkServer } from '../../../src/storage/postgres/schema.js';
import { VALID_BODY } from '../../support/collection-table.js';
import { ADMIN_KEY } from '../../support/contract.js';
import { metricsOf, operationsOf, readyOf } from '../../support/operations.js';
import { openPostgresOnSmallDisk, sharedPostgres } from '../../support/postgres.js';
import { privateMounts } from '../../support/private-mounts.js';
import { startProgram } from '../../support/program.js';
import { spawnServer, startServer } from '../../support/server-process.js';
import { openTcpProxy } from '../../support/tcp-proxy.js';
import { testFolder } from '../../support/test-folder.js';
import { customer, newDatabase, openRecords, recordIn } from './records.js';

const folder = testFolder();

it('A start refuses the tables of another program', async () => {
  const { url, sql } = await newDatabase();
  await sql('create table records (x int)');
  await expect(openRecords(url)).rejects.toThrow(/tables of another program \(records\)/);
});

it('A process works alongside a newer release, unless its tables need that release', async () => {
  const { url, sql } = await newDatabase();
  const before = await openRecords(url);
  await sql('alter table records add column extra text');
  const beside = await openRecords(url);
  const { id } = recordIn(await before.account('a').create('customers', customer()));
  expect((await beside.account('a').update('customers', id, '{"x":1}')).ok).toBe(true);
  await sql('update service_schema set works_from = 2');
  await expect(openRecords(url)).rejects.toThrow(/Start the newer release/);
});

it('A start creates the tables once, however many processes start at once', async () => {
  const { url } = await newDatabase();
  const all = await Promise.all(Array.from({ length: 5 }, () => openRecords(url)));
  const body = JSON.stringify(VALID_BODY.team);
  const created = all.map(({ account }) => account('a').create('team', body));
  expect((await Promise.all(created)).every(({ ok }) => ok)).toBe(true);
});

it('A start needs the right to create tables, or to use existing ones', async () => {
  const { url, sql } = await newDatabase();
  const found = async (user: string) => {
    const database = new Database(url.replace('service@', `${user}@`));
    return database.transaction(checkServer).finally(() => database.close());
  };
  await sql('create role guest login');
  await expect(found('guest')).rejects.toThrow(/grant it CREATE/);
  await openRecords(url);
  await expect(found('guest')).rejects.toThrow(/grant it CREATE/);
  await sql('grant all on all tables in schema public to guest');
  const line = /^Postgres \d+.*without TLS, synchronous standbys: none$/;
  expect(await found('guest')).toMatchObject({ found: expect.stringMatching(line), tables: true });
});

const PGBOUNCER = '/usr/sbin/pgbouncer';

/** Starts PgBouncer in transaction mode; resolves with its port when it listens. `target`: the port of Postgres. */
async function startPgBouncer(target: number): Promise<number> {
  const port = await freePort();
  openToPostgres(folder.path);
  const lines = [
    ...['[databases]', `* = host=127.0.0.1 port=${target} user=service`],
    ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'auth_type = any'],
    ...['pool_mode = transaction', 'default_pool_size = 10', 'unix_socket_dir ='],
  ];
  writeFileSync(folder.at('pgbouncer.ini'), `${lines.join('\n')}\n`);
  const pooler = startProgram(asPostgres([PGBOUNCER, folder.at('pgbouncer.ini')]));
  onTestFinished(async () => void (await pooler.stop('SIGKILL')));
  await pooler.saw(`listening on 127.0.0.1:${port}`);
  return port;
}

// A machine without PgBouncer (apt-get install pgbouncer) skips this.
it.skipIf(!existsSync(PGBOUNCER))(
  'The service works behind a pooler that loses prepared statements, without retries',
  async () => {
    const { name, port } = await newDatabase();
    const url = `postgres://service@127.0.0.1:${await startPgBouncer(port)}/${name}`;
    // With limits, changes are sent one by one, and so over many connections.
    const { account, database } = await openRecords(url, { maxBytes: 0, maxRecords: 1000 });
    const creates = Array.from({ length: 400 }, (_, i) =>
      account(`a${i}`).create('customers', customer()),
    );
    const ids = (await Promise.all(creates)).map((outcome) => recordIn(outcome).id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(database.figures.retries).toBe(0);
  },
);

it("A start waits while Postgres' name doesn't resolve yet, and a stop ends it", async () => {
  const process = spawnServer({ DATABASE_URL: 'postgres://service@not-yet.invalid/service' });
  onTestFinished(async () => void (await process.stop()));
  await process.saw(/"event":"postgres_unavailable"/);
  expect(process.log().at(-1)).toMatchObject({ reason: expect.stringMatching(/not-yet/) });
  expect(await process.stop()).toBe(0);
});

it('A process whose Postgres is down reports that it is starting, and starts when Postgres is back', async () => {
  const { url, port, sql } = await newDatabase();
  const proxy = await openTcpProxy(port);
  onTestFinished(() => proxy.close());
  proxy.set('cut');
  const operationsPort = await freePort();
  const over = url.replace(`:${port}/`, `:${proxy.port}/`);
  const settings = { DATABASE_URL: over, ACCOUNT_MAX_RECORDS: '3' };
  const process = spawnServer({ ...settings, OPS_PORT: String(operationsPort) });
  onTestFinished(async () => void (await process.stop()));
  await process.saw(/"event":"postgres_unavailable"/);
  const ready = await fetch(`http://127.0.0.1:${operationsPort}/ready`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { reasons: ['starting'] }]);
  proxy.set('open');
  await process.saw(/"event":"started"/);
  // New tables come with all samples, whatever the quotas.
  const samples = await sql('select count(*), min(version) from records');
  expect(samples).toEqual([{ count: '19', min: 1 }]);
});

it.each([
  ['a wrong user', (url: string) => url.replace('service@', 'nobody@'), /role "nobody" does not/],
  ['a missing database', (url: string) => `${url}_missing`, /database ".*" does not exist/],
  [
    'a demand that the client does not keep',
    (url: string) => `${url}?sslmode=require&channel_binding=require`,
    /DATABASE_URL demands channel_binding=require, .*remove it/,
  ],
])('A start fails with one sentence because of %s', async (_, changed, sentence) => {
  const { url } = await newDatabase();
  const process = spawnServer({ DATABASE_URL: changed(url) });
  expect(await process.exited).toBe(1);
  expect(process.log().at(-1)).toMatchObject({
    event: 'start_failed',
    error: expect.stringMatching(sentence),
  });
});

it('A start advances sequences that are behind rows loaded without them', async () => {
  const { url, sql } = await newDatabase();
  const first = await openRecords(url);
  recordIn(await first.account('a').create('customers', customer()));
  await sql(
    `insert into records (owner, collection, id, position, bytes, created_at, updated_at, body)
       select 'b', 'customers', id, 7, 2, 1, 1, '{}'
         from unnest(array['CUS-0041', 'CUS-9', 'CUS-x999', 'ORD-0900', 'CUS-1e', 'CUS-99999999999999999']) id;
     insert into audit_events (id, event) overriding system value values (70, '{}')`,
  );
  const second = await openRecords(url);
  expect(recordIn(await second.account('a').create('customers', customer())).id).toBe('CUS-0042');
  // A sequence that is ahead is unchanged.
  expect(
    recordIn(await (await openRecords(url)).account('a').create('customers', customer())).id,
  ).toBe('CUS-0043');
  const event = "insert into audit_events (event) values ('{}') returning id";
  expect(await sql(event)).toEqual([{ id: '71' }]);
});

it("Each address of Postgres' name gets 2 s for its handshake, not Node's 250 ms", async () => {
  new Database('postgres://service@localhost/service');
  expect(getDefaultAutoSelectFamilyAttemptTimeout()).toBe(2_000);
});

async function serverOver(url: string) {
  const settings = { OPS_PORT: '0', ADMIN_API_KEY: ADMIN_KEY };
  const server = await startServer({ DATABASE_URL: url, ...settings });
  onTestFinished(async () => void (await server.stop()));
  const operations = operationsOf(server);
  const create = async () => {
    const path = `${server.origin}/api/v1/admin/accounts/a/customers`;
    const headers = { 'X-Service-Admin-Key': ADMIN_KEY };
    const body = customer({ note: 'x'.repeat(500_000) });
    return (await fetch(path, { method: 'POST', headers, body })).status;
  };
  const metrics = async () => (await metricsOf(operations)).text;
  return { ready: () => readyOf(operations), metrics, create };
}

it('A process is not ready while Postgres is read-only, and ready again afterwards', async () => {
  const { name, url, sql } = await newDatabase();
  const server = await sharedPostgres();
  const { ready, metrics } = await serverOver(url);
  expect(await ready()).toMatchObject({ ready: true });
  expect(await metrics()).toMatch(/^service_postgres_waiting 0$/m);
  expect(await metrics()).not.toMatch(/^service_records|^service_accounts/m);
  const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`;
  await sql(`alter database ${name} set default_transaction_read_only = on`);
  await server.sql('postgres', end);
  await expect.poll(ready).toMatchObject({ ready: false, reasons: ['database_unavailable'] });
  await server.sql('postgres', `alter database ${name} set default_transaction_read_only = off`);
  await server.sql('postgres', end);
  await expect.poll(ready).toMatchObject({ ready: true });
});

const under = privateMounts();

it.skipIf(under === undefined)('A process is not ready when Postgres’ disk is full', async () => {
  const { server: small, disk } = await openPostgresOnSmallDisk(120_000_000, under ?? []);
  onTestFinished(() => small.close());
  const url = await small.make('filled');
  const { ready, metrics, create } = await serverOver(url);
  expect(await create()).toBe(201);
  expect(await metrics()).toMatch(/^service_commits_total\{result="committed"\} 1$/m);
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize));
  await expect.poll(create).toBe(500);
  expect(await ready()).toMatchObject({ ready: false, reasons: ['writes_failing', 'disk_full'] });
  rmSync(join(disk, 'filler'));
  await expect.poll(ready).toMatchObject({ ready: true });
  expect(await create()).toBe(201);
});

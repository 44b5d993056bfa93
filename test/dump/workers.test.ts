// A dump of Workers has the same id in two accounts, and a load into Workers may end anywhere.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VALID_BODY } from '../support/collection-table.js';
import { runHere, runWell } from '../support/data-command.js';
import { newDatabaseName, sharedPostgres } from '../support/postgres.js';
import { contentsOf, makeShopFile } from '../support/shop-file.js';
import { type MaintainedService, openMaintained } from '../worker/maintained-service.js';

let workers: MaintainedService;

const at = (name: string) => join(workers.folder, name);

beforeAll(async () => {
  workers = await openMaintained({ settings: { SAMPLE_RECORDS: 'off' } });
}, 60_000);
afterAll(() => workers.close());

async function linesOf(path: string): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

describe('A dump of Workers in which two accounts have the same ids', () => {
  beforeAll(async () => {
    for (const owner of ['first', 'first', 'second', 'second', 'second', 'first']) {
      const { status } = await workers.as(owner, 'POST', '/orders', VALID_BODY.orders);
      expect(status).toBe(201);
    }
    await runWell(['dump', '--from', workers.adminOrigin, '--to', at('same.ndjson')]);
  });

  const renumbered = [
    ['first', 'ORD-0001'],
    ['first', 'ORD-0002'],
    ['first', 'ORD-0004'],
    ['second', 'ORD-0003'],
    ['second', 'ORD-0005'],
    ['second', 'ORD-0006'],
  ];

  it('gives the younger record a new id in a file, and lists it', async () => {
    const printed = await runWell(['load', at('same.ndjson'), '--to', at('same.db')]);
    expect(printed).toContain('3 records have new ids; the list is ');
    const { accounts, sequences } = await contentsOf(at('same.db'));
    const found = [...accounts].flatMap(([owner, rows]) => rows.map(([, id]) => [owner, id]));
    // The third record of each: the one that was created first keeps ORD-0003.
    expect(found.sort()).toEqual(renumbered);
    expect(sequences['orders']).toBe(6);
    for (const [, id, body] of [...accounts.values()].flat()) {
      expect(JSON.parse(String(body)).id).toBe(id);
    }
    expect(await readFile(at('same.ndjson-new-ids.csv'), 'utf8')).toBe(
      [
        'account,collection,old_id,new_id',
        'first,orders,ORD-0003,ORD-0004',
        'second,orders,ORD-0001,ORD-0005',
        'second,orders,ORD-0002,ORD-0006',
        '',
      ].join('\n'),
    );
  });

  it('gives the same new ids in Postgres', async () => {
    const [server, name] = [await sharedPostgres(), newDatabaseName()];
    const postgres = { DATABASE_URL: await server.make(name) };
    await runWell(['load', at('same.ndjson')], postgres);
    const rows = await server.sql(name, 'select owner, id from records order by owner, id');
    expect(rows.map(Object.values)).toEqual(renumbered);
    const [next] = await server.sql(name, "select nextval('orders_numbers')::int as number");
    expect(next).toEqual({ number: 7 });
  });

  it('restores one account of Workers, after it was deleted there, with its own ids and numbers', async () => {
    const gone = await workers.maintain('DELETE', '/accounts/first');
    expect(gone.status).toBe(200);
    await runWell(['load', at('same.ndjson'), '--to', workers.adminOrigin]);
    const { json } = await workers.as('first', 'GET', '/orders');
    const ids = json.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['ORD-0003', 'ORD-0002', 'ORD-0001']);
    const created = await workers.as('first', 'POST', '/orders', VALID_BODY.orders);
    expect(created.json.data.id).toBe('ORD-0004');
  });
});

describe('A load into Workers', () => {
  const dump = () => at('large.ndjson');
  const load = () => runHere(['load', dump(), '--to', workers.adminOrigin]);

  beforeAll(async () => {
    await makeShopFile(at('large.db'), { accounts: ['large', 'small'], records: 4_000, events: 8 });
    await runWell(['dump', '--from', at('large.db'), '--to', dump()]);
  });

  it('continues after what an interrupted one has left, which nobody was served meanwhile', async () => {
    const lines = await linesOf(dump());
    const columns = ['collection', 'id', 'body', 'created_at', 'updated_at'];
    const records = lines.filter(({ owner, body }) => owner === 'large' && body !== undefined);
    const rows = records.slice(0, 700).map((one) => columns.map((name) => one[name]));
    const piece = { load: lines.at(-1)?.['sha256'], from: 0, rows };
    const put = (body: object) => workers.maintain('PUT', '/records?account=large', body);
    expect((await put(piece)).json.data).toEqual({ state: 'loading', records: 700, digest: '' });
    expect((await put({ ...piece, load: 'another' })).status).toBe(409);
    expect((await workers.as('large', 'GET', '/orders')).json.error?.code).toBe(
      'STORAGE_UNAVAILABLE',
    );
    const { code, stdout } = await load();
    expect([code, stdout]).toEqual([0, expect.stringContaining('4000 records and 8 audit events')]);
    expect((await workers.as('large', 'GET', '/orders')).status).toBe(200);
    const of = ['--account', 'large'];
    await runWell(['dump', '--from', workers.adminOrigin, '--to', at('there.ndjson'), ...of]);
    await runWell(['dump', '--from', at('large.db'), '--to', at('here.ndjson'), ...of]);
    const contentsIn = async (name: string) => (await linesOf(at(name))).at(-2)?.['contents'];
    expect(await contentsIn('there.ndjson')).toBe(await contentsIn('here.ndjson'));
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
      const { code, stdout } = await runHere(['load', dump(), '--to', limited.adminOrigin]);
      expect([code, stdout]).toEqual([
        1,
        expect.stringContaining('nothing of the account was kept'),
      ]);
      const path = '/records?account=large';
      const { json } = await limited.maintain('GET', path);
      expect(json.data).toMatchObject({ rows: [], isLast: true });
    } finally {
      await limited.close();
    }
  });
});

// Accounts from a file to Workers and back: every record, id, time, place, audit event
// and highest number is what it was.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import { ADMIN_KEY } from '../support/contract.js';
import { tokenOf } from '../support/identity-stub.js';
import { type MoveWorkers, moveHere, startMoveWorkers } from '../support/move-command.js';
import { startServer } from '../support/server-process.js';
import { contentsOf, type FileContents, makeShopFile } from '../support/shop-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { plain } from '../support/worker-host.js';

const ACCOUNTS = ['auth0|duka/ya pili?&=%#', '..', '.', 'Ünïcode ✂', '42', "O'Neill", '%2e%2e'];
const OPERATOR = { 'X-Service-Admin-Key': ADMIN_KEY };

let folder: TemporaryFolder;
let workers: MoveWorkers;
let before: FileContents;

const at = (name: string) => join(folder.path, name);

beforeAll(async () => {
  folder = await openTemporaryFolder();
  workers = await startMoveWorkers(folder.path);
  const since = Date.now() - 3_600_000;
  await makeShopFile(at('shop.db'), { accounts: ACCOUNTS, records: 2_400, events: 1_100, since });
  before = await contentsOf(at('shop.db'));
});
afterAll(async () => {
  await workers.stop();
  await folder.remove();
});

async function ask(origin: string, path: string, headers: Record<string, string>, init = {}) {
  const response = await fetch(`${origin}/api/v1${path}`, plain({ ...init, headers }));
  return { status: response.status, json: JSON.parse(await response.text()) };
}

describe('A move from a file to Workers and back', () => {
  it('brings every account there, and says how many records', async () => {
    const { code, stdout, stderr } = await moveHere([
      '--from',
      at('shop.db'),
      '--to',
      workers.maintenance,
    ]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('7 accounts with 2400 records, and 1100 audit events, are there');
  });

  it('is the same to users: the lists, their order, the next id', async () => {
    const [owner = ''] = ACCOUNTS;
    const orders = (before.accounts.get(owner) ?? []).filter(([name]) => name === 'orders');
    const headers = { Authorization: `Bearer ${tokenOf(owner)}` };
    const { json } = await ask(workers.service, '/orders?page_size=100', headers);
    expect(json.meta.pagination.total).toBe(orders.length);
    const newestFirst = orders.toReversed().slice(0, 100);
    expect(json.data).toEqual(newestFirst.map(([, , body]) => JSON.parse(String(body))));
  });

  it('is the same to the operator: accounts, sums, recent creations, the audit log', async () => {
    const overview = await ask(workers.service, '/admin/overview', OPERATOR);
    // The sample rows of a new deployment come on top.
    expect(overview.json.data.tenant_count).toBe(ACCOUNTS.length + 1);
    expect(overview.json.data.record_count).toBe(2_400 + SAMPLE_COUNT);
    const usage = await ask(workers.service, '/admin/usage', OPERATOR);
    expect(usage.json.data.audit_event_count).toBe(1_100);
    const last = [...before.accounts.values()].flat().filter(([name]) => name === 'team');
    const updated = Math.max(...last.map(([, , , , time]) => Number(time)));
    expect(usage.json.data.resources.team.last_updated_at).toBe(new Date(updated).toISOString());
    const { json } = await ask(workers.service, '/admin/audit?page_size=200&page=3', OPERATOR);
    const events = json.data.map(({ id: _, ...event }: Record<string, unknown>) => event);
    expect(events).toEqual(
      before.events
        .toReversed()
        .slice(400, 600)
        .map((event) => JSON.parse(event)),
    );
  });

  it('changes nothing when it is run again', async () => {
    const { code, stdout } = await moveHere(['--from', at('shop.db'), '--to', workers.maintenance]);
    expect(code).toBe(0);
    expect(stdout).toContain('2400 of the records were there before this run');
    const usage = await ask(workers.service, '/admin/usage', OPERATOR);
    expect(usage.json.data).toMatchObject({
      audit_event_count: 1_100,
      record_count: 2_400 + SAMPLE_COUNT,
    });
  });

  it('comes back the same, into a file that the service starts on', async () => {
    const args = ['--from', workers.maintenance, '--to', at('back.db')];
    const { code, stderr, stdout } = await moveHere(args);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(
      `8 accounts with ${2_400 + SAMPLE_COUNT} records, and 1100 audit events`,
    );
    const back = await contentsOf(at('back.db'));
    for (const owner of ACCOUNTS) {
      expect(back.accounts.get(owner), owner).toEqual(before.accounts.get(owner));
    }
    expect(back.events).toEqual(before.events);
    const highest = new Map(Object.entries(back.sequences));
    for (const [name, number] of Object.entries(before.sequences)) {
      expect(highest.get(name)).toBeGreaterThanOrEqual(number);
    }
    // The sample rows had ids that the shops have, too; theirs are older.
    const list = await readFile(at('back-renumbered.csv'), 'utf8');
    expect(stdout).toContain(
      `${SAMPLE_COUNT} records have new ids; the list is ${at('back-renumbered.csv')}`,
    );
    expect(list.split('\n')[0]).toBe('account,collection,old_id,new_id');
    expect(list.match(/^local-preview,/gm)).toHaveLength(SAMPLE_COUNT);
    expect((await moveHere(args)).stderr).toContain('is there already; name a new file');
  });

  it('gives the next ids after the highest ones, there and back', async () => {
    const { sequences } = await contentsOf(at('back.db'));
    const server = await startServer({
      DATABASE_URL: `file:${at('back.db')}`,
      ADMIN_API_KEY: ADMIN_KEY,
    });
    const body = JSON.stringify({ name: 'Asha', phone: '1' });
    const create = (origin: string) =>
      ask(origin, '/admin/accounts/42/customers', OPERATOR, { method: 'POST', body });
    try {
      const there = await create(workers.service);
      expect(there.json.data.id).toBe(`CUS-0${(before.sequences['customers'] ?? 0) + 1}`);
      const back = await create(server.origin);
      expect(back.json.data.id).toBe(`CUS-0${(sequences['customers'] ?? 0) + 1}`);
    } finally {
      await server.stop();
    }
  });

  it('brings one account back alone, with its own audit events and no new id', async () => {
    const [owner = ''] = ACCOUNTS;
    const args = ['--from', workers.maintenance, '--to', at('one.db'), '--account', owner];
    const { code, stdout } = await moveHere(args);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('no id changed') });
    const { accounts, events, sequences } = await contentsOf(at('one.db'));
    expect([...accounts]).toEqual([[owner, before.accounts.get(owner)]]);
    const own = before.events.filter((event) => JSON.parse(event).owner_sub === owner);
    expect(events).toEqual(own);
    expect(sequences).toEqual(before.sequences);
  });
});

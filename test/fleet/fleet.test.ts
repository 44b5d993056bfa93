// Processes of the built server over one real Postgres: each account is served by one of them, and
// what was acknowledged is read through all of them, whatever ends meanwhile.

import { describe, expect, it } from 'vitest';
import { startDataCommand } from '../support/data-command.js';
import { eventually } from '../support/eventually.js';
import { fleetOfEachTest, type TestFleet } from '../support/fleet.js';
import { ACCOUNTS, ask, CUSTOMERS, create } from '../support/fleet-requests.js';
import { tokenOf } from '../support/identity-stub.js';
import type { ServerProcess } from '../support/server-process.js';

let fleet: TestFleet;
fleetOfEachTest((opened) => {
  fleet = opened;
});

/** The ids that each account lists through the process. */
async function listed(process: ServerProcess): Promise<string[][]> {
  const answers = await Promise.all(ACCOUNTS.map((account) => ask(process, account)));
  return answers.map(({ data }) => data.map(({ id }) => id));
}

const SHARED_OUT = async () => expect(await fleet.holders()).toEqual([128, 128]);

async function two(): Promise<[ServerProcess, ServerProcess]> {
  const first = await fleet.start();
  const second = await fleet.start();
  await eventually(SHARED_OUT);
  return [first, second];
}

describe('A fleet of two processes', () => {
  it('reads at once through either what was written through either, with no id twice', async () => {
    const processes = await two();
    const ids = new Set<string>();
    for (const [i, account] of ACCOUNTS.entries()) {
      const [writer, reader] = i % 2 === 0 ? processes : processes.toReversed();
      const { status, data } = await create(writer as ServerProcess, account);
      expect(status).toBe(201);
      ids.add(data.id);
      const read = await ask(reader as ServerProcess, account, 'GET', `${CUSTOMERS}/${data.id}`);
      expect(read).toMatchObject({ status: 200, data: { id: data.id } });
      const path = `${CUSTOMERS}/${data.id}`;
      const changed = await ask(reader as ServerProcess, account, 'PATCH', path, { name: 'Asha' });
      expect(changed.status).toBe(200);
      expect((await ask(writer as ServerProcess, account, 'GET', path)).data.name).toBe('Asha');
    }
    expect(ids.size).toBe(ACCOUNTS.length);
  });

  it('lists 10 MB through either, and a reader that stops holds up nobody', async () => {
    const processes = await two();
    const note = 'x'.repeat(250_000);
    for (let record = 0; record < 40; record++) {
      const body = { name: `${record}`, phone: '1', note };
      expect((await ask(processes[0], 'long', 'POST', CUSTOMERS, body)).status).toBe(201);
    }
    const path = `${CUSTOMERS}?page_size=100`;
    const headers = { Authorization: `Bearer ${tokenOf('long')}` };
    const stopped = processes.map(({ origin }) => fetch(origin + path, { headers }));
    for (const response of await Promise.all(stopped)) expect(response.status).toBe(200);
    for (const process of processes) {
      const { data } = await ask(process, 'long', 'GET', path);
      expect(data.map(({ name }) => Number(name))).toEqual(
        Array.from({ length: 40 }, (_, record) => 39 - record),
      );
      await Promise.all(ACCOUNTS.map((account) => create(process, account)));
    }
    for (const response of await Promise.all(stopped)) await response.body?.cancel();
  });

  it('loses nothing by kill -9, and a write right after it waits and succeeds', async () => {
    const [first, second] = await two();
    for (const account of ACCOUNTS) await create(first, account);
    const before = await listed(first);
    await second.stop('SIGKILL');
    const created = await Promise.all(ACCOUNTS.map((account) => create(first, account, 'After')));
    expect(created.map(({ status }) => status)).toEqual(ACCOUNTS.map(() => 201));
    const after = await listed(first);
    expect(after.map((ids) => ids.slice(1))).toEqual(before);
  });

  it('fails no request while a process stops, and its shards go to the other one', async () => {
    const [first, second] = await two();
    let goesOn = true;
    const statuses: number[] = [];
    const load = ACCOUNTS.map(async (account) => {
      while (goesOn) statuses.push((await create(first, account)).status);
    });
    const code = await second.stop();
    await eventually(async () => expect(await fleet.holders()).toEqual([256]));
    goesOn = false;
    await Promise.all(load);
    expect(code).toBe(0);
    expect(new Set(statuses)).toEqual(new Set([201]));
    const [stored] = await fleet.sql('select count(*)::int as records from records');
    expect(stored).toEqual({ records: statuses.length });
  });

  it('never reads an old record through a process that was stopped and goes on', async () => {
    const [first, second] = await two();
    const ids = new Map<string, string>();
    for (const account of ACCOUNTS) ids.set(account, (await create(first, account)).data.id);
    second.child.kill('SIGSTOP');
    const rename = (name: string) =>
      Promise.all(
        ACCOUNTS.map(async (account) => {
          const path = `${CUSTOMERS}/${ids.get(account)}`;
          return (await ask(first, account, 'PATCH', path, { name })).status;
        }),
      );
    // What was sent to the stopped process, and may yet be done by it, is 500.
    for (const status of await rename('Later')) expect([200, 500]).toContain(status);
    await eventually(async () => expect(await fleet.holders()).toEqual([256]));
    expect(new Set(await rename('Last'))).toEqual(new Set([200]));
    const asked = ACCOUNTS.map((account) =>
      ask(second, account, 'GET', `${CUSTOMERS}/${ids.get(account)}`),
    );
    second.child.kill('SIGCONT');
    const names = (await Promise.all(asked)).map(({ data }) => data.name);
    expect(names).toEqual(ACCOUNTS.map(() => 'Last'));
    await eventually(SHARED_OUT);
  });

  it('is listed by manage fleet, which sees who gives no sign of life', async () => {
    const processes = await two();
    const { DATABASE_URL = '' } = fleet.environment;
    const list = async () => {
      const { code, stdout } = await startDataCommand(['fleet', '--account', 'account-1'], {
        DATABASE_URL,
      }).ended;
      return { code, stdout };
    };
    const healthy = await list();
    expect(healthy.code).toBe(0);
    expect(healthy.stdout.match(/128 shards {2}lives/g)).toHaveLength(2);
    expect(healthy.stdout).toContain('2 processes, 256 shards, 0 without a holder');
    expect(healthy.stdout).toMatch(/"account-1" is in shard \d+, held by http:/);
    for (const { child } of processes) child.kill('SIGSTOP');
    const silent = await list();
    expect(silent.code).toBe(1);
    expect(silent.stdout.match(/128 shards {2}gives no sign of life/g)).toHaveLength(2);
    for (const { child } of processes) child.kill('SIGCONT');
  });

  it('answers the operator across both, and lists audit events of both', async () => {
    const [first, second] = await two();
    for (const account of ACCOUNTS) await create(first, account);
    const headers = { 'X-Service-Admin-Key': String(fleet.environment['ADMIN_API_KEY']) };
    const view = async (path: string, method = 'GET') => {
      const response = await fetch(`${second.origin}/api/v1/admin/${path}`, { method, headers });
      return (await response.json()).data;
    };
    expect(await view('overview')).toMatchObject({ tenant_count: 24, record_count: 24 });
    expect(await view('usage')).toMatchObject({ record_count: 24 });
    for (const account of ACCOUNTS) {
      const { data } = await ask(first, account);
      await view(`accounts/${account}/customers/${data[0]?.id}`, 'DELETE');
    }
    expect(await view('overview')).toMatchObject({ tenant_count: 0, record_count: 0 });
    expect(await view('audit')).toHaveLength(24);
    const owners = await fleet.sql('select owner from account_totals');
    expect(owners).toEqual([]);
  });

  it('tells of itself in /ready and /metrics', async () => {
    const first = await fleet.start({ OPS_PORT: '0' });
    const [started] = first.log().filter(({ event }) => event === 'started');
    const ready = await fetch(`${started?.['operations']}/ready`);
    expect(await ready.json()).toEqual({ ready: true, reasons: [], warnings: [] });
    const metrics = await (await fetch(`${started?.['operations']}/metrics`)).text();
    expect(metrics).toContain('\nservice_fleet_processes 1\n');
    expect(metrics).toContain('\nservice_fleet_shards 256\n');
  });

  it('names in the request log the process that answered, where it is another one', async () => {
    const first = await fleet.start({ REQUEST_LOG: 'all' });
    const second = await fleet.start();
    await eventually(SHARED_OUT);
    for (const account of ACCOUNTS) await create(first, account);
    await eventually(async () => {
      const requests = first.log().filter(({ event }) => event === 'request');
      expect(requests).toHaveLength(ACCOUNTS.length);
    });
    const holders = first
      .log()
      .filter(({ event }) => event === 'request')
      .map(({ holder }) => holder);
    const [started] = second.log().filter(({ event }) => event === 'started');
    expect(new Set(holders)).toEqual(new Set([undefined, started?.['internal']]));
  });
});

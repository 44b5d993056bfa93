// Processes of the built server over one real Postgres: each account is served by one of them, and
// what was acknowledged is read through all of them, whatever ends meanwhile.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDataCommand } from '../support/data-command.js';
import { eventually } from '../support/eventually.js';
import { openFleet, type TestFleet } from '../support/fleet.js';
import { type IdentityStub, openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { openPostgres } from '../support/postgres.js';
import { type ServerProcess, spawnServer } from '../support/server-process.js';

const CUSTOMERS = '/api/v1/customers';
const ACCOUNTS = Array.from({ length: 24 }, (_, i) => `account-${i}`);

let identity: IdentityStub;
let fleet: TestFleet;
beforeAll(async () => {
  identity = await openIdentityStub();
});
afterAll(() => identity.close());
beforeEach(async () => {
  fleet = await openFleet(identity.url);
});
afterEach(() => fleet.close());

interface Answer {
  readonly status: number;
  readonly data: { readonly id: string; readonly name: string } & readonly {
    readonly id: string;
  }[];
  readonly retryAfter: string | null;
}

async function ask(
  { origin }: Pick<ServerProcess, 'origin'>,
  account: string,
  method = 'GET',
  path = CUSTOMERS,
  body?: object,
): Promise<Answer> {
  const response = await fetch(origin + path, {
    method,
    headers: { Authorization: `Bearer ${tokenOf(account)}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { data } = JSON.parse(await response.text());
  return { status: response.status, data, retryAfter: response.headers.get('retry-after') };
}

function create(process: Pick<ServerProcess, 'origin'>, account: string, name = 'Neema') {
  return ask(process, account, 'POST', CUSTOMERS, { name, phone: '1' });
}

/** The ids that each account lists through the process. */
async function listed(process: ServerProcess): Promise<string[][]> {
  const answers = await Promise.all(ACCOUNTS.map((account) => ask(process, account)));
  return answers.map(({ data }) => data.map(({ id }) => id));
}

const holders = async () => {
  const rows = await fleet.sql(
    "select coalesce(holder, '') holder, count(*)::int shards from shards group by 1 order by 2",
  );
  return rows.map(({ shards }) => Number(shards));
};

const SHARED_OUT = async () => expect(await holders()).toEqual([128, 128]);

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
    await eventually(async () => expect(await holders()).toEqual([256]));
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
    await eventually(async () => expect(await holders()).toEqual([256]));
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

describe('A process of a fleet', () => {
  it('refuses a caller of its internal port without the key', async () => {
    const first = await fleet.start();
    const [started] = first.log().filter(({ event }) => event === 'started');
    const response = await fetch(`${started?.['internal']}/call`, {
      method: 'POST',
      headers: { 'x-fleet-key': 'guessed', 'x-fleet-protocol': '1' },
      body: '{"owner":"account-1","call":{"operation":"list"}}\n',
    });
    expect(response.status).toBe(403);
    await first.saw('fleet_call_refused');
  });

  it('is refused with another key, with one clear line on both sides', async () => {
    const first = await fleet.start();
    const second = await fleet.start({ FLEET_KEY: 'another-key-that-nobody-else-here-has' });
    await eventually(SHARED_OUT);
    const answers = await Promise.all(ACCOUNTS.map((account) => create(second, account)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 503]));
    expect(answers.find(({ status }) => status === 503)?.retryAfter).toBe('2');
    expect(first.log().filter(({ event }) => event === 'fleet_call_refused')).toHaveLength(1);
    const told = second.log().filter(({ event }) => event === 'fleet_process_refuses');
    expect(told[0]?.['error']).toContain('FLEET_KEY must be the same in every process');
    expect(told).toHaveLength(1);
  });

  it('without a key is alone: a second one does not start', async () => {
    await fleet.start({ FLEET_KEY: '' });
    const second = spawnServer({ ...fleet.environment, FLEET_KEY: '' });
    expect(await second.exited).toBe(1);
    expect(second.log().at(-1)).toMatchObject({
      event: 'start_failed',
      error: expect.stringContaining('set the same FLEET_KEY in every process'),
    });
  });

  it('waits for a Postgres that restarts, and loses nothing', async () => {
    const own = await openPostgres();
    const alone = await openFleet(identity.url, own);
    try {
      const process = await alone.start();
      const before = await create(process, 'account-1');
      const restarted = own.restart();
      const during = await create(process, 'account-1');
      await restarted;
      expect([before.status, during.status]).toEqual([201, 201]);
      await eventually(async () => {
        const { data } = await ask(process, 'account-1');
        expect(data.map(({ id }) => id)).toEqual([during.data.id, before.data.id]);
      });
      await process.stop();
    } finally {
      await alone.close();
      await own.close();
    }
  });

  it('refuses a server that would lose acknowledged writes', async () => {
    await fleet.sql(`alter database ${fleet.database} set synchronous_commit = off`);
    const process = spawnServer(fleet.environment);
    expect(await process.exited).toBe(1);
    expect(process.log().at(-1)?.['error']).toContain('synchronous_commit is off in Postgres');
  });

  it('refuses tables of a newer release', async () => {
    await (await fleet.start()).stop();
    await fleet.sql('update service_schema set version = 99');
    const process = spawnServer(fleet.environment);
    expect(await process.exited).toBe(1);
    expect(process.log().at(-1)?.['error']).toContain('tables of version 99');
  });

  it('keeps what it had over a restart, with ids that go on', async () => {
    const first = await fleet.start({ SAMPLE_RECORDS: 'on' });
    const samples = await ask(first, 'local-preview');
    const { data } = await create(first, 'account-1');
    await first.stop();
    const second = await fleet.start();
    expect((await ask(second, 'local-preview')).data).toEqual(samples.data);
    const later = await create(second, 'account-1');
    expect(Number(later.data.id.slice(4))).toBeGreaterThan(Number(data.id.slice(4)));
  });
});

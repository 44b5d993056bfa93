// One process of a fleet: what it needs to start, whom it lets in, and what it keeps over a restart.

import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { HEADERS, PROTOCOL, UPGRADE } from '../../src/hosts/fleet/internal-call.js';
import { eventually } from '../support/eventually.js';
import { fleetOfEachTest, openFleet, type TestFleet } from '../support/fleet.js';
import { ACCOUNTS, ask, create } from '../support/fleet-requests.js';
import { openPostgres } from '../support/postgres.js';
import { spawnServer } from '../support/server-process.js';

let fleet: TestFleet;
fleetOfEachTest((opened) => {
  fleet = opened;
});

describe('A process of a fleet', () => {
  it('refuses a caller of its internal port without the key', async () => {
    const first = await fleet.start();
    const [started] = first.log().filter(({ event }) => event === 'started');
    const [row] = await fleet.sql('select database_id from service_schema');
    // All but the key is right.
    const headers = {
      [HEADERS.key]: 'guessed',
      [HEADERS.protocol]: PROTOCOL,
      [HEADERS.database]: String(row?.['database_id']),
    };
    const internal = String(started?.['internal']);
    expect((await fetch(internal, { method: 'POST', headers, body: '{}' })).status).toBe(403);
    const upgrade = { ...headers, connection: 'upgrade', upgrade: UPGRADE };
    const asking = request(internal, { headers: upgrade });
    const answered = new Promise((resolve, reject) => {
      asking.on('response', ({ statusCode }) => resolve(statusCode));
      asking.on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new Error('a guessed key opens the connection'));
      });
      asking.on('error', reject);
    });
    asking.end();
    expect(await answered).toBe(403);
    await first.saw('fleet_call_refused');
  });

  it('is refused with another key, with one clear line on both sides', async () => {
    const first = await fleet.start();
    const second = await fleet.start({ FLEET_KEY: 'another-key-that-nobody-else-here-has' });
    await eventually(async () => expect(await fleet.holders()).toEqual([128, 128]));
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
    const alone = await openFleet(String(fleet.environment['AUTH_USERINFO_URL']), own);
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

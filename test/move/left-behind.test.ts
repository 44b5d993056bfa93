// What a move must not leave behind, and what it must not bring back: changes that the running
// service took after the backup, and accounts that were erased since.

import { randomBytes } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addToLedger } from '../../src/storage/erasures/ledger.js';
import { ADMIN_KEY } from '../support/contract.js';
import { openMeddlingProxy } from '../support/meddling-proxy.js';
import { type MoveWorkers, moveHere, startMoveWorkers } from '../support/move-command.js';
import { type ServerProcess, startServer } from '../support/server-process.js';
import { makeShopFile } from '../support/shop-file.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const SERVICE_KEY = 'the key of the service on the machine alone';

let folder: TemporaryFolder;
let workers: MoveWorkers;

const at = (name: string) => join(folder.path, name);

beforeAll(async () => {
  folder = await openTemporaryFolder();
  workers = await startMoveWorkers(folder.path);
});
afterAll(async () => {
  await workers.stop();
  await folder.remove();
});

describe('A move from a backup, beside the service that goes on', () => {
  let running: ServerProcess;

  async function started(name: string, accounts: readonly string[]): Promise<string> {
    await makeShopFile(at(`${name}.db`), { accounts, records: 60, events: 0 });
    const backup = at(`${name}-backup.db`);
    await copyFile(at(`${name}.db`), backup);
    running = await startServer({
      DATABASE_URL: `file:${at(`${name}.db`)}`,
      ADMIN_API_KEY: SERVICE_KEY,
    });
    onTestFinished(async () => {
      await running.stop();
    });
    return backup;
  }

  const move = (from: string, ...more: string[]) =>
    moveHere(['--from', from, '--to', workers.maintenance, ...more], {
      environment: { SERVICE_ADMIN_API_KEY: SERVICE_KEY },
    });

  const against = () => ['--check-against', `${running.origin}/api/v1`];

  async function asOperator(method: string, path: string, body?: object): Promise<void> {
    const { status } = await fetch(`${running.origin}/api/v1/admin/accounts/${path}`, {
      method,
      headers: { 'X-Service-Admin-Key': SERVICE_KEY, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(status).toBeLessThan(300);
  }

  it('says which accounts have changed since, and moves the others', async () => {
    const backup = await started('changed', ['changed', 'paid', 'same']);
    const expenses = { description: 'Ink', category: 'Supplies', date: '2026-01-14', amount: 1 };
    await asOperator('POST', 'changed/expenses', expenses);
    const { data } = await (
      await fetch(`${running.origin}/api/v1/admin/accounts/paid/orders`, {
        headers: { 'X-Service-Admin-Key': SERVICE_KEY },
      })
    ).json();
    await asOperator('PATCH', `paid/orders/${data[0].id}`, { paid: 77 });
    await asOperator('POST', 'new/customers', { name: 'Asha', phone: '1' });
    const { code, stdout, stderr } = await move(backup, ...against());
    expect(stderr).toBe('');
    expect(stdout).toContain('1 accounts with 12 records');
    for (const account of ['changed', 'paid', 'new']) {
      expect(stdout).toContain(
        `not moved: "${account}": the running service has other records of it than the file; make a new backup, and move that`,
      );
    }
    expect(code).toBe(1);
  });

  it('is done where nothing has changed', async () => {
    const backup = await started('unchanged', ['one', 'two']);
    const { code, stdout, stderr } = await move(backup, ...against());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('not compared');
  });

  it('says where a record changed while the others were on their way', async () => {
    const backup = await started('late', ['late-a', 'late-b']);
    let isFirst = true;
    let changed = Promise.resolve();
    const proxy = await openMeddlingProxy({
      to: workers.maintenance,
      before() {
        if (isFirst) changed = asOperator('POST', 'late-a/customers', { name: 'B', phone: '2' });
        isFirst = false;
        return false;
      },
      after: () => false,
    });
    onTestFinished(async () => {
      await proxy.close();
    });
    const { code, stdout } = await moveHere(
      ['--from', backup, '--to', proxy.origin, ...against()],
      { environment: { SERVICE_ADMIN_API_KEY: SERVICE_KEY } },
    );
    await changed;
    expect(stdout).toContain(
      'moved, but "late-a" has changed in the running service during the move; make a new backup',
    );
    expect(stdout).toContain('2 accounts with 60 records');
    expect(code).toBe(1);
  });

  it('says that nothing was compared where no service is named', async () => {
    const backup = await started('alone', ['alone']);
    const { code, stdout } = await move(backup);
    expect(stdout).toContain('not compared with a running service');
    expect(code).toBe(0);
  });

  it('ends where the service is away or refuses the key, and has sent nothing', async () => {
    const backup = await started('refused', ['refused']);
    const wrong = await moveHere(['--from', backup, '--to', workers.maintenance, ...against()], {
      environment: { SERVICE_ADMIN_API_KEY: 'x'.repeat(40) },
    });
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('key') });
  });
});

describe('An account that was erased since', () => {
  it('stays in the file, and --bring-back moves it', async () => {
    await makeShopFile(at('erased.db'), { accounts: ['erased', 'kept'], records: 40, events: 0 });
    const ledger = at('ledger.ndjson');
    const erasure = { subject: 'erased', erased: '2026-03-01T10:00:00.000Z', records: {} };
    await addToLedger(ledger, erasure, randomBytes);
    const move = (...more: string[]) =>
      moveHere(['--from', at('erased.db'), '--to', workers.maintenance, ...more], {
        environment: { ERASURE_LEDGER: ledger },
      });
    const first = await move();
    expect(first.stdout).toContain('1 accounts with 20 records');
    expect(first.stdout).toContain(
      'not moved: "erased": it was erased on 2026-03-01T10:00:00.000Z; --bring-back moves it all the same',
    );
    expect(first.code).toBe(1);
    const second = await move('--bring-back');
    expect(second.stdout).toContain('2 accounts with 40 records');
    expect(second.code).toBe(0);
  });

  it('is not looked for where a ledger cannot be read', async () => {
    await makeShopFile(at('unread.db'), { accounts: ['unread'], records: 5, events: 0 });
    const { code, stderr, stdout } = await moveHere(
      ['--from', at('unread.db'), '--to', workers.maintenance],
      { environment: { ERASURE_LEDGER: folder.path } },
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('the ledger of erased accounts');
  });
});

it('An account without records that was used before is told how it becomes empty', async () => {
  await makeShopFile(at('used.db'), { accounts: ['used'], records: 5, events: 0 });
  const url = `${workers.service}/api/v1/admin/accounts/used/customers`;
  const headers = { 'X-Service-Admin-Key': ADMIN_KEY };
  const body = JSON.stringify({ name: 'A', phone: '1' });
  const { data } = await (await fetch(url, { method: 'POST', headers, body })).json();
  await fetch(`${url}/${data.id}`, { method: 'DELETE', headers });
  const { stdout } = await moveHere(['--from', at('used.db'), '--to', workers.maintenance]);
  expect(stdout).toContain(
    'not moved: "used": the account was used before and has no records now; DELETE /accounts/SUBJECT of the admin Worker makes it empty, then send this again',
  );
});

// The operator's commands and console on a fleet: each asks another process than the one before.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole } from '../support/console-visitor.js';
import { dataCommand } from '../support/data-command.js';
import { eventually } from '../support/eventually.js';
import { openFleet, type TestFleet } from '../support/fleet.js';
import { type IdentityStub, openIdentityStub } from '../support/identity-stub.js';
import type { ServerProcess } from '../support/server-process.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';

const ACCOUNTS = ['amina', 'juma', 'zawadi'];
const ROWS = 300;

let folder: TemporaryFolder;
let identity: IdentityStub;
let fleet: TestFleet;
let processes: readonly ServerProcess[];

beforeAll(async () => {
  folder = await openTemporaryFolder();
  identity = await openIdentityStub();
  fleet = await openFleet(identity.url);
  processes = [await fleet.start(), await fleet.start()];
  await eventually(async () => expect(await fleet.holders()).toEqual([128, 128]));
});
afterAll(async () => {
  await fleet.close();
  await identity.close();
  await folder.remove();
});

const adminKey = () => String(fleet.environment['ADMIN_API_KEY']);
const at = (name: string) => join(folder.path, name);

/** Through the process in this place. */
async function run(place: number, ...args: readonly string[]) {
  const { code, stderr } = await dataCommand(args, {
    SERVICE_URL: `${processes[place]?.origin}/api/v1`,
    ADMIN_API_KEY: adminKey(),
    ERASURE_LEDGER: at('ledger'),
  });
  expect(code, stderr).toBe(0);
}

it('Rows are imported through one process, and exported through the other one in their order', async () => {
  const lines = Array.from({ length: ROWS }, (_, row) => `Mteja ${row},+2557${row}`);
  await writeFile(at('in.csv'), `name,phone\n${lines.join('\n')}\n`);
  for (const [turn, account] of ACCOUNTS.entries()) {
    const words = ['import', at('in.csv'), '--account', account, '--into', 'customers'];
    await run(turn % 2, ...words, '--in-order');
    await run((turn + 1) % 2, 'export', '--account', account, '--to', at(account));
    const manifest = JSON.parse(await readFile(join(at(account), 'manifest.json'), 'utf8'));
    expect(JSON.stringify(manifest)).toContain(String(ROWS));
    const text = await readFile(join(at(account), 'customers.ndjson'), 'utf8');
    const names = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).name);
    expect(names).toEqual(lines.map((line) => line.split(',')[0]));
  }
});

it('The console shows the accounts and records that every process holds', async () => {
  const console_ = await openConsole({
    SERVICE_URL: `${processes[1]?.origin}/api/v1`,
    ADMIN_API_KEY: adminKey(),
  });
  try {
    const visitor = await console_.signedIn();
    const { text } = await visitor.get('/accounts');
    for (const account of ACCOUNTS) expect(text).toContain(account);
    for (const account of ACCOUNTS) {
      const shown = await visitor.get(`/accounts/${account}/customers`);
      expect(shown.text).toContain(`Mteja ${ROWS - 1}`);
    }
  } finally {
    await console_.close();
  }
});

it('An account is erased through one process, and nothing of it is left at any', async () => {
  const words = ['erase', '--account', 'juma', '--confirm', 'juma'];
  await run(0, ...words, '--export-first', at('erased'));
  expect(await fleet.sql("select 1 from records where owner = 'juma'")).toEqual([]);
  expect(await fleet.sql("select 1 from account_totals where owner = 'juma'")).toEqual([]);
  expect(await fleet.sql("select 1 from records where owner = 'amina'")).toHaveLength(ROWS);
});

// The admin Worker over the objects of the service: how it is deployed, how it erases an
// account, and whom it obeys.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { readDeployment } from '../../scripts/worker/deployment.js';
import { VALID_BODY } from '../support/collection-table.js';
import { ADMIN_KEY } from '../support/contract.js';
import { eventually } from '../support/eventually.js';
import { type IdentityStub, openIdentityStub, tokenOf } from '../support/identity-stub.js';
import { textOf } from '../support/pages.js';
import { openTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.js';
import { objectDatabase, plain, startBeside, workerOptions } from '../support/worker-host.js';

const CONFIG = 'src/hosts/workers/admin/wrangler.toml';

it('The admin Worker is bound to the objects that the service deploys, and does no work on accounts unless that is asked for', () => {
  const { name, compatibilityDate, durableObjects } = readDeployment();
  const config = parse(textOf(CONFIG));
  expect(join(dirname(CONFIG), String(config['main']))).toBe('dist/admin-worker.js');
  expect(config).toMatchObject({
    no_bundle: true,
    find_additional_modules: false,
    compatibility_date: compatibilityDate,
    observability: { logs: { invocation_logs: false } },
    vars: { MAINTENANCE: 'off' },
    durable_objects: {
      bindings: Object.entries(durableObjects).map(([binding, className]) => ({
        name: binding,
        class_name: className,
        script_name: name,
      })),
    },
  });
});

const SCRIPT = fileURLToPath(new URL('../../dist/admin-worker.js', import.meta.url));

describe('The admin Worker', () => {
  let folder: TemporaryFolder;
  let identity: IdentityStub;
  let miniflare: Awaited<ReturnType<typeof startBeside>>['miniflare'];
  let isRunning = true;
  let service: string;
  let maintenance: string;

  beforeAll(async () => {
    folder = await openTemporaryFolder();
    identity = await openIdentityStub();
    const settings = { AUTH_USERINFO_URL: identity.url, ADMIN_API_KEY: ADMIN_KEY };
    const first = await workerOptions(folder.path, settings);
    const modules = [{ type: 'ESModule' as const, path: SCRIPT }];
    const bindings = { ...first.bindings, MAINTENANCE: 'on' };
    const started = await startBeside(first, { name: 'admin', modules, bindings });
    miniflare = started.miniflare;
    [service = '', maintenance = ''] = started.origins;
  });

  /** The files can then be read. */
  async function stop(): Promise<void> {
    if (isRunning) await miniflare.dispose();
    isRunning = false;
  }

  afterAll(async () => {
    await stop();
    await identity.close();
    await folder.remove();
  });

  async function ask(path: string, headers: Record<string, string>, init: RequestInit = {}) {
    const response = await fetch(`${service}/api/v1${path}`, plain({ ...init, headers }));
    return { status: response.status, json: JSON.parse(await response.text()) };
  }

  const as = (owner: string) => ({ Authorization: `Bearer ${tokenOf(owner)}` });
  const OPERATOR = { 'X-Service-Admin-Key': ADMIN_KEY };
  const create = (path: string, headers: Record<string, string>) =>
    ask(path, headers, { method: 'POST', body: JSON.stringify(VALID_BODY.customers) });
  const maintain = (owner: string, method: string, headers: Record<string, string>) =>
    fetch(`${maintenance}/accounts/${encodeURIComponent(owner)}`, { method, headers });

  it("erases an account: only the operator's audit events of it are left", async () => {
    const owner = 'auth0|duka/ya pili';
    await create('/customers', as(owner));
    await create(`/admin/accounts/${encodeURIComponent(owner)}/customers`, OPERATOR);
    await create('/customers', as('neighbour'));
    const reply = await maintain(owner, 'DELETE', OPERATOR);
    expect([reply.status, await reply.json()]).toEqual([
      200,
      { data: { owner_sub: owner, erased: true } },
    ]);
    expect((await maintain(owner, 'DELETE', OPERATOR)).status).toBe(200);
    expect((await ask('/customers', as(owner))).json.data).toEqual([]);
    expect((await ask('/customers', as('neighbour'))).json.data).toHaveLength(1);
    const { data } = (await ask('/admin/audit', OPERATOR)).json;
    expect(data[0]).toMatchObject({ owner_sub: owner, action: 'create' });
    await eventually(async () => {
      const usage = (await ask('/admin/accounts', OPERATOR)).json.data;
      const subjects = usage.map(({ owner_sub }: { owner_sub: string }) => owner_sub);
      expect(subjects).toEqual(['local-preview', 'neighbour']);
    });
    expect((await create('/customers', as(owner))).status).toBe(201);
    expect((await ask('/customers', as(owner))).json.data).toHaveLength(1);
  });

  it.each([
    ['no key', 'DELETE', {}, 401],
    ['a wrong key', 'DELETE', { 'X-Service-Admin-Key': `${ADMIN_KEY}x` }, 401],
    ['a method that it does not have', 'GET', OPERATOR, 405],
  ])('does nothing for %s', async (_, method, headers, status) => {
    await create('/customers', as('stays'));
    expect((await maintain('stays', method, headers)).status).toBe(status);
    expect((await ask('/customers', as('stays'))).json.data.length).toBeGreaterThan(0);
  });

  it('cannot be reached through the service', async () => {
    const reply = await fetch(`${service}/accounts/stays`, { method: 'DELETE', headers: OPERATOR });
    expect(reply.status).toBe(404);
  });

  it('leaves no table of an erased account, and no row in the directory', async () => {
    await create('/customers', as('gone'));
    expect((await maintain('gone', 'DELETE', OPERATOR)).status).toBe(200);
    await stop();
    const tables = "select name from sqlite_schema where name in ('records', 'outbox')";
    expect(await runSql(objectDatabase(folder.path, 'ACCOUNTS', 'gone'), tables)).toEqual([]);
    const directory = objectDatabase(folder.path, 'DIRECTORY', 'directory');
    for (const table of ['accounts', 'holdings', 'search_texts']) {
      const owners = await runSql(directory, `select distinct owner from ${table} order by owner`);
      expect(owners).not.toContainEqual({ owner: 'gone' });
    }
  });
});

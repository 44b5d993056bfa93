// The admin Worker: how it is deployed, whom it obeys, how it erases an account; and the limits of
// one. The default of 48,000,000 bytes is tried by the trial `workers`, in an isolate of 128 MB.

import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { readDeployment } from '../../scripts/worker/deployment.js';
import { admin } from '../../src/hosts/workers/admin/admin.js';
import type { AdminEnvironment } from '../../src/hosts/workers/admin/admin-route.js';
import { VALID_BODY } from '../support/collection-table.js';
import { textOf } from '../support/pages.js';
import { objectDatabase } from '../support/worker-host.js';
import { FAULTY_ENTRY } from './faults.js';
import { type MaintainedService, OPERATOR, openMaintained } from './maintained-service.js';

const CONFIG = 'src/hosts/workers/admin/wrangler.toml';
const KEY = 'k'.repeat(32);
/** The requests that read an account's records or change them. */
const WORK =
  'GET /accounts, DELETE /accounts/x, POST /accounts/x/restore, GET /records?account=x, PUT /records?account=x, GET /audit-events, PUT /audit-events';

afterEach(() => void vi.restoreAllMocks());

it('The admin Worker is bound to the objects that the service deploys, and is off unless that is asked for', () => {
  const { name, compatibilityDate, durableObjects } = readDeployment();
  const config = parse(textOf(CONFIG));
  expect(join(dirname(CONFIG), String(config['main']))).toBe('dist/admin-worker.js');
  const bindings = Object.entries(durableObjects).map(([binding, className]) => {
    return { name: binding, class_name: className, script_name: name };
  });
  expect(config).toMatchObject({
    no_bundle: true,
    find_additional_modules: false,
    compatibility_date: compatibilityDate,
    observability: { logs: { invocation_logs: false } },
    vars: { MAINTENANCE: 'off' },
    durable_objects: { bindings },
  });
});

/** The accounts whose objects are asked for are kept in `asked`; each of them fails. */
function openWorker(settings: object = { ADMIN_API_KEY: KEY, MAINTENANCE: 'on' }) {
  const asked: string[] = [];
  const erase = () => Promise.reject(new Error('the object was lost'));
  const get = (name: string) => {
    asked.push(name);
    return { erase };
  };
  const ACCOUNTS = { idFromName: (name: string) => name, get };
  const env = { ...settings, ACCOUNTS } as unknown as AdminEnvironment;
  const send = async (method: string, path: string, key = KEY) => {
    const headers = { 'X-Service-Admin-Key': key };
    const response = await admin.fetch(new Request(`http://x${path}`, { method, headers }), env);
    expect(response.headers.get('cache-control')).toBe('no-store');
    return [response.status, JSON.parse(await response.text()).error.message];
  };
  return { asked, send };
}

describe('The admin Worker', () => {
  it.each([
    ['a wrong key', { ADMIN_API_KEY: KEY }, `${'k'.repeat(31)}l`],
    ['a longer key', { ADMIN_API_KEY: KEY }, `${KEY}k`],
    ['no key', { ADMIN_API_KEY: KEY }, ''],
    ['no key where none is set', {}, ''],
    ['a short key that is set', { ADMIN_API_KEY: 'k'.repeat(31) }, 'k'.repeat(31)],
  ])('does nothing for %s', async (_, settings, key) => {
    const { send, asked } = openWorker({ MAINTENANCE: 'on', ...settings });
    const message = 'send ADMIN_API_KEY of this script in X-Service-Admin-Key';
    expect(await send('DELETE', '/accounts/x', key)).toEqual([401, message]);
    expect(asked).toEqual([]);
  });

  it.each([undefined, 'off', 'ON'])('does no work unless that is on: %j', async (MAINTENANCE) => {
    const { send, asked } = openWorker({ ADMIN_API_KEY: KEY, MAINTENANCE });
    const hint = expect.stringContaining('deploy it with --var MAINTENANCE:on');
    for (const work of WORK.split(', ')) {
      const [method = '', path = ''] = work.split(' ');
      expect(await send(method, path)).toEqual([403, hint]);
    }
    expect(asked).toEqual([]);
  });

  it.each([
    ['DELETE', '/', 404, /^no such path; the paths are \/accounts\/{owner_sub}, /],
    ['DELETE', '/accounts/%E0', 404, /^no such path/],
    ['DELETE', '/accounts/x/', 404, /^no such path/],
    ['GET', '/accounts/x', 405, /^GET is not allowed here; use DELETE$/],
    ['POST', '/records', 405, /^POST is not allowed here; use GET, PUT$/],
    ['OPTIONS', '/accounts', 405, /use GET$/],
    ['constructor', '/accounts', 405, /use GET$/],
  ])('answers %s %s with %i, and says what there is', async (method, path, status, words) => {
    const { send, asked } = openWorker();
    expect(await send(method, path)).toEqual([status, expect.stringMatching(words)]);
    expect(asked).toEqual([]);
  });

  it('says that the object of the account in the path gave no answer, and why in its log alone', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { send, asked } = openWorker();
    const message = 'the account or the directory did not answer; send it again';
    expect(await send('DELETE', '/accounts/auth0%7Cduka%2Fya%20pili')).toEqual([500, message]);
    expect(asked).toEqual(['auth0|duka/ya pili']);
    expect(JSON.parse(logged.mock.calls[0]?.[0])).toMatchObject({
      event: 'maintenance_failed',
      error: expect.stringContaining('the object was lost'),
    });
  });
});

describe('An account', () => {
  let on: MaintainedService;
  const shown = async (owner: string) => (await on.as(owner, 'GET', '/customers')).json.data;
  const erase = (owner: string) =>
    on.maintain('DELETE', `/accounts/${encodeURIComponent(owner)}`).then(({ status }) => status);
  const tell = (path: string, body: unknown = {}) =>
    fetch(`${on.origin}${path}`, { method: 'POST', body: JSON.stringify(body) });

  beforeAll(async () => {
    on = await openMaintained({ entry: FAULTY_ENTRY, settings: { ACCOUNT_MAX_BYTES: '3000' } });
    return on.close;
  });

  it('is refused what goes beyond its bytes, also when its object is loaded again, and may shrink', async () => {
    const record = { ...VALID_BODY.customers, note: 'é'.repeat(400) };
    const post = async (owner: string) => (await on.as(owner, 'POST', '/customers', record)).status;
    for (const status of [201, 201, 201, 422]) expect(await post('full')).toBe(status);
    await tell('/kill?owner=full');
    expect([await post('full'), await post('neighbour')]).toEqual([422, 201]);
    const shorter = await on.as('full', 'PATCH', '/customers/CUS-0001', { note: 'short' });
    expect(shorter.status).toBe(200);
    expect((await on.as('full', 'DELETE', '/customers/CUS-0002')).status).toBe(200);
    expect(await post('full')).toBe(201);
  });

  it('that the directory has not heard of stays whole, and is erased later', async () => {
    await tell('/faults', { directoryIsDown: true });
    const made = await on.operate('POST', '/admin/accounts/new/customers', VALID_BODY.customers);
    expect([made.status, await erase('new')]).toEqual([201, 500]);
    expect(await shown('new')).toHaveLength(1);
    await tell('/faults', { directoryIsDown: false });
    expect(await erase('new')).toBe(200);
    expect(await shown('new')).toEqual([]);
  });

  it('stays as it is if the runtime keeps no history to set it back, and the answer says so', async () => {
    await on.create('local', 'kept');
    const asked = { to: new Date().toISOString() };
    const { status, json } = await on.maintain('POST', '/accounts/local/restore', asked);
    expect([status, json.error?.message]).toEqual([501, expect.stringContaining('no history')]);
    expect((await on.create('local', 'more')).id).toBe('CUS-0002');
  });

  it('that is erased leaves its audit events alone, no table and no row in the directory', async () => {
    const owner = 'auth0|duka/ya pili';
    await on.create(owner, 'own');
    const path = `/admin/accounts/${encodeURIComponent(owner)}/customers`;
    await on.operate('POST', path, VALID_BODY.customers);
    expect([await erase(owner), await erase(owner)]).toEqual([200, 200]);
    expect([await shown(owner), (await shown('neighbour')).length]).toEqual([[], 1]);
    const [event] = (await on.operate('GET', '/admin/audit')).json.data;
    expect(event).toMatchObject({ owner_sub: owner, action: 'create' });
    // The service itself has no such path.
    const init = { method: 'DELETE', headers: OPERATOR };
    expect((await fetch(`${on.origin}/accounts/neighbour`, init)).status).toBe(404);
    await on.stop();
    const tables = "select name from sqlite_schema where name in ('records', 'outbox')";
    expect(await runSql(objectDatabase(on.folder, 'ACCOUNTS', owner), tables)).toEqual([]);
    const directory = objectDatabase(on.folder, 'DIRECTORY', 'directory');
    for (const table of ['accounts', 'holdings', 'search_texts']) {
      const owners = await runSql(directory, `select distinct owner from ${table}`);
      expect(owners).not.toContainEqual({ owner });
    }
  });
});

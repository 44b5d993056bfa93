// Whom the admin Worker obeys, and what it says of a path or a method that it does
// not have. What it does to an account is in admin-erase.test.ts.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { admin } from '../../src/hosts/workers/admin/admin.js';
import type { AdminEnvironment } from '../../src/hosts/workers/admin/admin-route.js';

const KEY = 'k'.repeat(32);

/** The requests that read an account's records or change them. */
const WORK = [
  { method: 'GET', path: '/accounts' },
  { method: 'DELETE', path: '/accounts/x' },
  { method: 'POST', path: '/accounts/x/restore' },
  { method: 'GET', path: '/records?account=x' },
  { method: 'PUT', path: '/records?account=x' },
  { method: 'GET', path: '/audit-events' },
  { method: 'PUT', path: '/audit-events' },
];

afterEach(() => void vi.restoreAllMocks());

/** The names of the accounts whose objects are asked for are kept in `asked`. */
function openWorker(settings: object = { ADMIN_API_KEY: KEY, MAINTENANCE: 'on' }) {
  const asked: string[] = [];
  const erase = async (owner: string) => {
    if (owner === 'lost') throw new Error(`the object of ${owner} was lost`);
    return { owner_sub: owner, erased: true };
  };
  const ACCOUNTS = {
    idFromName: (name: string) => name,
    get(name: string) {
      asked.push(name);
      return { erase };
    },
  };
  const env = { ...settings, ACCOUNTS } as unknown as AdminEnvironment;
  return {
    asked,
    async send(method: string, path: string, key: string | undefined = KEY) {
      const headers = { 'X-Service-Admin-Key': key };
      const response = await admin.fetch(new Request(`http://x${path}`, { method, headers }), env);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const text = await response.text();
      return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
    },
  };
}

describe('The admin Worker', () => {
  it('obeys its key alone', async () => {
    const { send, asked } = openWorker();
    const erased = { status: 200, json: { data: { owner_sub: 'x', erased: true } } };
    const message = 'send ADMIN_API_KEY of this script in X-Service-Admin-Key';
    for (const key of ['', 'k'.repeat(31), `${'k'.repeat(31)}l`, `${KEY}k`]) {
      expect(await send('DELETE', '/accounts/x', key)).toEqual({
        status: 401,
        json: { error: { message } },
      });
    }
    expect(asked).toEqual([]);
    expect(await send('DELETE', '/accounts/x')).toEqual(erased);
  });

  it.each([undefined, '', 'off', 'ON', 'yes'])(
    'does no work on accounts unless that is on: %j',
    async (MAINTENANCE) => {
      const { send, asked } = openWorker({ ADMIN_API_KEY: KEY, MAINTENANCE });
      for (const { method, path } of WORK) {
        const { status, json } = await send(method, path);
        expect([path, status]).toEqual([path, 403]);
        expect(json).toEqual({
          error: { message: expect.stringContaining('deploy it with --var MAINTENANCE:on') },
        });
      }
      expect(asked).toEqual([]);
    },
  );

  it.each([{}, { ADMIN_API_KEY: '' }, { ADMIN_API_KEY: 'k'.repeat(31) }])(
    'obeys nobody where its key is missing or short: %j',
    async (settings: { ADMIN_API_KEY?: string }) => {
      const { send } = openWorker(settings);
      const { status } = await send('DELETE', '/accounts/x', settings.ADMIN_API_KEY ?? '');
      expect(status).toBe(401);
    },
  );

  it('takes the account from the path, percent-decoded', async () => {
    const { send, asked } = openWorker();
    expect((await send('DELETE', '/accounts/auth0%7Cduka%2Fya%20pili')).status).toBe(200);
    expect(asked).toEqual(['auth0|duka/ya pili']);
  });

  it.each(['/', '/accounts/', '/accounts/%E0', '/account/x', '/accounts/x/', '/accounts/x/y'])(
    'has no path %s, and names those that it has',
    async (path) => {
      const { send, asked } = openWorker();
      const { status, json } = await send('DELETE', path);
      expect([status, asked]).toEqual([404, []]);
      expect(json).toEqual({
        error: {
          message: expect.stringMatching(
            /^no such path; the paths are \/accounts\/{owner_sub}, .*$/,
          ),
        },
      });
    },
  );

  it('says which methods a path has', async () => {
    const { send } = openWorker();
    const message = (given: string, methods: string) => ({
      status: 405,
      json: { error: { message: `${given} is not possible here; use ${methods}` } },
    });
    expect(await send('GET', '/accounts/x')).toEqual(message('GET', 'DELETE'));
    expect(await send('POST', '/records')).toEqual(message('POST', 'GET, PUT'));
  });

  it.each(['HEAD', 'OPTIONS', 'constructor'])(
    'does not take %s for another method',
    async (method) => {
      const { send, asked } = openWorker();
      expect([(await send(method, '/accounts')).status, asked]).toEqual([405, []]);
    },
  );

  it('says that an object gave no answer, and why in its log alone', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(await openWorker().send('DELETE', '/accounts/lost')).toEqual({
      status: 500,
      json: {
        error: {
          message: 'the account or the directory gave no answer; send it again',
        },
      },
    });
    expect(JSON.parse(logged.mock.calls[0]?.[0])).toMatchObject({
      level: 'error',
      event: 'maintenance_failed',
      error: expect.stringContaining('the object of lost was lost'),
    });
  });
});

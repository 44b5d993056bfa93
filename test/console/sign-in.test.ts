// Signing in: codes, passwords, guessing, cookies, sessions.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readConsoleSettings } from '../../src/hosts/settings/console-settings.js';
import { SESSION_IDLE_MAX_MS, Sessions, Tries } from '../../src/tools/console/sessions.js';
import { withSettingsFiles } from '../../src/tools/program/settings-file.js';
import {
  type OpenConsole,
  openConsole,
  startConsoleProcess,
  valueIn,
} from '../support/console-visitor.js';
import { ADMIN_KEY } from '../support/contract.js';
import { startDataCommand } from '../support/data-command.js';
import { dataService } from '../support/data-service.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

const PASSWORD = 'jua kali na mvua 7';

const service = dataService();
let console_: OpenConsole;

describe('A code', () => {
  beforeEach(async () => {
    console_ = await openConsole({ SERVICE_URL: service.url });
    return () => console_.close();
  });

  it('opens one session, once, also in lower case with spaces, and sets a cookie for no script', async () => {
    const [code = ''] = console_.codes;
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    const visit = await console_.visitor().signIn(` ${code.toLowerCase()} `);
    const { port } = new URL(console_.origin);
    const cookie = `^console_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`;
    expect(visit.headers['set-cookie']?.[0]).toMatch(new RegExp(cookie));
    const again = await console_.visitor().post('/sign-in', { secret: code });
    expect([again.status, again.text]).toEqual([401, expect.stringContaining('Wrong code')]);
    expect(new Set(console_.codes).size).toBe(2);
    await console_.signedIn();
  });

  it('that is sent twice, as by a double click, signs in once', async () => {
    const visitor = console_.visitor();
    const form = valueIn((await visitor.get('/sign-in')).text, 'form');
    const fields = { form, secret: console_.codes[0] ?? '' };
    const sent = [visitor.post('/sign-in', fields), visitor.post('/sign-in', fields)];
    const [one, other] = await Promise.all(sent);
    expect([one?.status, other?.status]).toEqual([303, 303]);
    expect(other?.headers['set-cookie']).toEqual(one?.headers['set-cookie']);
    await visitor.post('/sign-out', {
      token: valueIn((await visitor.get('/accounts')).text, 'token'),
    });
    expect((await console_.visitor().post('/sign-in', fields)).status).toBe(401);
  });

  it('can be guessed five times a minute, by all browsers together, also in parallel', async () => {
    const guesses = Array.from({ length: 9 }, () =>
      console_.visitor().post('/sign-in', { secret: 'AAAAAAAA' }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    const right = await console_.visitor().post('/sign-in', { secret: console_.codes[0] ?? '' });
    expect(right.status).toBe(429);
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('starts a new session: a planted id, the one before and a signed-out one open nothing', async () => {
    const { port } = new URL(console_.origin);
    const visitor = console_.visitor();
    const opens = async (cookie: string) => {
      const other = console_.visitor();
      other.cookie = cookie;
      return (await other.get('/accounts')).status === 200;
    };
    const planted = `console_${port}=${'A'.repeat(43)}`;
    visitor.cookie = planted;
    await visitor.signIn(console_.codes.at(-1) ?? '');
    const first = visitor.cookie;
    expect([await opens(first), await opens(planted)]).toEqual([true, false]);
    await visitor.signIn(console_.codes.at(-1) ?? '');
    const second = visitor.cookie;
    expect([await opens(second), await opens(first)]).toEqual([true, false]);
    const token = valueIn((await visitor.get('/accounts')).text, 'token');
    expect((await visitor.post('/sign-out', { token })).status).toBe(303);
    expect(await opens(second)).toBe(false);
  });

  it.each([
    ['/accounts?q=a', '/accounts?q=a'],
    ['https://attacker.example/', '/'],
    ['//attacker.example/', '/'],
    ['/\\attacker.example/', '/'],
    ['/%0d%0aSet-Cookie:x', '/%0d%0aSet-Cookie:x'],
    ['javascript:alert(1)', '/'],
  ])('leads from next=%s to %s, also a visitor who is signed in', async (next, location) => {
    const path = `/sign-in?next=${encodeURIComponent(next)}`;
    const visitor = console_.visitor();
    const visit = await visitor.post(path, { secret: console_.codes[0] ?? '' });
    expect([visit.status, visit.headers['location']]).toEqual([303, location]);
    expect((await visitor.get(path)).headers['location']).toBe(location);
  });
});

describe('A session', () => {
  let now = 0;
  let sessions: Sessions;
  beforeEach(() => {
    now = 0;
    sessions = new Sessions(() => now, randomBytes);
  });

  it('ends after eight hours without use; a page that reloads itself is no use', () => {
    const { id } = sessions.begin();
    for (let use = 0; use < 3; use++) {
      now += SESSION_IDLE_MAX_MS;
      expect(sessions.find(id)).toBeDefined();
    }
    now += SESSION_IDLE_MAX_MS;
    expect(sessions.find(id, false)).toBeDefined();
    now += 1;
    expect(sessions.find(id)).toBeUndefined();
    now = 0;
    expect(sessions.find(id)).toBeUndefined();
  });

  it('is one of at most fifty: the session that was idle the longest ends', () => {
    const first = sessions.begin();
    const second = sessions.begin();
    sessions.find(first.id);
    for (let more = 0; more < 49; more++) sessions.begin();
    expect([sessions.find(second.id), sessions.find(first.id)]).toEqual([undefined, first]);
  });
});

it('The next try is possible one minute after the oldest of five', () => {
  let now = 0;
  const tries = new Tries(() => now);
  for (now = 0; now < 5_000; now += 1_000) expect(tries.begin()).toBe(0);
  expect(tries.begin()).toBe(55_000);
  now = 60_000;
  expect(tries.begin()).toBe(0);
});

describe('A password', () => {
  it('is hashed, and its hash lets it in behind a proxy with TLS', async () => {
    const hashing = startDataCommand(['hash'], {}, { input: `${PASSWORD}\n` });
    expect(await hashing.exited).toBe(0);
    const line = hashing.output();
    // The line can be pasted into a shell and into a file of settings.
    const shell = `${line}printf %s "$CONSOLE_PASSWORD_HASH"`;
    const hash = execFileSync('sh', ['-c', shell]).toString();
    expect(hash).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
    const folder = await openTemporaryFolder();
    const file = join(folder.path, 'settings');
    await writeFile(file, line);
    expect(withSettingsFiles({}, [file])).toEqual({ CONSOLE_PASSWORD_HASH: hash });
    await folder.remove();
    // As a program that keeps the quotation marks hands it over.
    const kept = { ADMIN_API_KEY: ADMIN_KEY, CONSOLE_PASSWORD_HASH: `'${hash}'` };
    expect(readConsoleSettings(kept, undefined).passwordHash).toMatchObject({ cost: 32_768 });

    const origin = 'https://operator.example.com';
    const settings = { CONSOLE_PASSWORD_HASH: hash, CONSOLE_ORIGIN: origin };
    const running = await openConsole({ SERVICE_URL: service.url, ...settings });
    try {
      expect(running.codes).toEqual([]);
      const headers = { Host: 'operator.example.com', Origin: origin };
      const visitor = running.visitor();
      const wrong = await visitor.post('/sign-in', { secret: `${PASSWORD}x` }, headers);
      expect(wrong.status).toBe(401);
      const right = await visitor.post('/sign-in', { secret: PASSWORD }, headers);
      expect(right.headers['set-cookie']?.[0]).toMatch(
        /^__Host-console_443=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
      expect((await visitor.get('/accounts', headers)).status).toBe(200);
      // The name of this machine is not the one that browsers use.
      expect((await visitor.get('/accounts')).status).toBe(421);
    } finally {
      await running.close();
    }
  });

  it('that is too short is not hashed', async () => {
    const hashing = startDataCommand(['hash'], {}, { input: 'eleven char\n' });
    expect(await hashing.exited).toBe(1);
    expect(hashing.output()).toBe('the password has 11 characters; it must have 12 to 1024\n');
  });
});

it('The program prints its address and a code, or that its port is taken, and ends on SIGTERM', async () => {
  const environment = { SERVICE_URL: service.url, ADMIN_API_KEY: ADMIN_KEY };
  const running = await startConsoleProcess(environment);
  expect(running.code()).toMatch(/^[A-Z2-9]{8}$/);
  const { port } = new URL(running.origin);
  const second = startDataCommand(['console'], { ...environment, CONSOLE_PORT: port });
  expect(await second.exited).toBe(1);
  expect(second.output()).toBe(
    `the console cannot listen on 127.0.0.1:${port}: this port is in use; set CONSOLE_PORT to a free one\n`,
  );
  expect(await running.stop()).toBe(0);
  expect(running.output()).not.toContain(ADMIN_KEY);
});

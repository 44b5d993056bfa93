// Signing in: codes, passwords, guessing, cookies, sessions.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConsoleSettings } from '../../src/hosts/settings/console-settings.js';
import { codeCredentials } from '../../src/tools/console/credentials.js';
import { SESSION_IDLE_MAX_MS, Sessions, Tries } from '../../src/tools/console/sessions.js';
import { withSettingsFiles } from '../../src/tools/program/settings-file.js';
import { spawnConsole, startConsoleProcess } from '../support/console-process.js';
import {
  ADMIN_KEY,
  type ConsoleService,
  type OpenConsole,
  openConsole,
  openService,
  tokenIn,
} from '../support/console-visitor.js';
import { openTemporaryFolder } from '../support/temporary-folder.js';

let service: ConsoleService;
let console_: OpenConsole;

beforeAll(async () => {
  service = await openService();
});
afterAll(() => service?.close());

describe('A code', () => {
  beforeEach(async () => {
    console_ = await openConsole({ SERVICE_URL: service.url });
    return () => console_.close();
  });

  it('opens one session, once', async () => {
    const [code = ''] = console_.codes;
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    await console_.visitor().signIn(code);
    const again = await console_.visitor().post('/sign-in', { secret: code });
    expect(again.status).toBe(401);
    expect(again.text).toContain('Wrong code');
    expect(console_.codes).toHaveLength(2);
    await console_.visitor().signIn(console_.codes.at(-1) ?? '');
  });

  it('that is sent twice, as by a double click, signs in once', async () => {
    const visitor = console_.visitor();
    const [, form = ''] =
      /name="form" value="([^"]+)"/.exec((await visitor.get('/sign-in')).text) ?? [];
    const fields = { form, secret: console_.codes[0] ?? '' };
    const sent = [visitor.post('/sign-in', fields), visitor.post('/sign-in', fields)];
    const [one, other] = await Promise.all(sent);
    expect([one?.status, other?.status]).toEqual([303, 303]);
    expect(other?.headers['set-cookie']).toEqual(one?.headers['set-cookie']);
    expect((await visitor.get('/accounts')).status).toBe(200);
    await visitor.post('/sign-out', { token: tokenIn((await visitor.get('/accounts')).text) });
    expect((await console_.visitor().post('/sign-in', fields)).status).toBe(401);
  });

  it('may be typed in lower case and with spaces around it', async () => {
    await console_.visitor().signIn(` ${console_.codes[0]?.toLowerCase()} `);
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

  it('sets a cookie that scripts and other sites cannot read', async () => {
    const visit = await console_.visitor().signIn(console_.codes[0] ?? '');
    const [cookie = ''] = visit.headers['set-cookie'] ?? [];
    const { port } = new URL(console_.origin);
    expect(cookie).toMatch(
      new RegExp(`^console_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
  });

  it('starts a new session, and ignores a session id that the browser brings', async () => {
    const { port } = new URL(console_.origin);
    const visitor = console_.visitor();
    const planted = `console_${port}=${'A'.repeat(43)}`;
    visitor.cookie = planted;
    await visitor.signIn(console_.codes[0] ?? '');
    expect(visitor.cookie).not.toBe(planted);
    expect((await visitor.get('/accounts')).status).toBe(200);
    const attacker = console_.visitor();
    attacker.cookie = planted;
    expect((await attacker.get('/accounts')).status).toBe(303);
  });

  it('ends the session that the browser had', async () => {
    const visitor = console_.visitor();
    await visitor.signIn(console_.codes.at(-1) ?? '');
    const old = console_.visitor();
    old.cookie = visitor.cookie;
    await visitor.signIn(console_.codes.at(-1) ?? '');
    expect((await old.get('/accounts')).status).toBe(303);
  });

  it('opens no page after "Sign out"', async () => {
    const visitor = console_.visitor();
    await visitor.signIn(console_.codes[0] ?? '');
    const kept = visitor.cookie;
    const token = tokenIn((await visitor.get('/accounts')).text);
    expect((await visitor.post('/sign-out', { token })).status).toBe(303);
    visitor.cookie = kept;
    expect((await visitor.get('/accounts')).status).toBe(303);
  });

  it.each([
    ['/accounts?q=a', '/accounts?q=a'],
    ['https://attacker.example/', '/'],
    ['//attacker.example/', '/'],
    ['/\\attacker.example/', '/'],
    ['/%0d%0aSet-Cookie:x', '/%0d%0aSet-Cookie:x'],
    ['javascript:alert(1)', '/'],
  ])('leads from next=%s to %s', async (next, location) => {
    const path = `/sign-in?next=${encodeURIComponent(next)}`;
    const visit = await console_.visitor().post(path, { secret: console_.codes[0] ?? '' });
    expect(visit.status).toBe(303);
    expect(visit.headers['location']).toBe(location);
  });

  it('leads a visitor who is signed in only to pages of the console', async () => {
    const visitor = console_.visitor();
    await visitor.signIn(console_.codes[0] ?? '');
    for (const next of ['https://attacker.example/', '//attacker.example/']) {
      const visit = await visitor.get(`/sign-in?next=${encodeURIComponent(next)}`);
      expect(visit.headers['location']).toBe('/');
    }
    const own = await visitor.get('/sign-in?next=%2Faudit');
    expect(own.headers['location']).toBe('/audit');
  });
});

describe('A session', () => {
  it('ends after eight hours without use, and not during use', () => {
    let now = 0;
    const sessions = new Sessions({ now: () => now, randomBytes });
    const { id } = sessions.begin();
    for (let use = 0; use < 3; use++) {
      now += SESSION_IDLE_MAX_MS;
      expect(sessions.find(id)).toBeDefined();
    }
    now += SESSION_IDLE_MAX_MS + 1;
    expect(sessions.find(id)).toBeUndefined();
    now = 0;
    expect(sessions.find(id)).toBeUndefined();
  });

  it('is not prolonged by a page that reloads itself', () => {
    let now = 0;
    const sessions = new Sessions({ now: () => now, randomBytes });
    const { id } = sessions.begin();
    now = SESSION_IDLE_MAX_MS;
    expect(sessions.find(id, false)).toBeDefined();
    now += 1;
    expect(sessions.find(id, false)).toBeUndefined();
  });

  it('is one of at most fifty: the session that was idle the longest ends', () => {
    const sessions = new Sessions({ now: () => 0, randomBytes });
    const first = sessions.begin();
    const second = sessions.begin();
    sessions.find(first.id);
    for (let more = 0; more < 49; more++) sessions.begin();
    expect(sessions.find(second.id)).toBeUndefined();
    expect(sessions.find(first.id)).toBeDefined();
  });
});

it('The next try is possible one minute after the oldest of five', () => {
  let now = 0;
  const tries = new Tries(() => now);
  for (let attempt = 0; attempt < 5; attempt++) {
    expect(tries.begin()).toBe(0);
    now += 1_000;
  }
  expect(tries.begin()).toBe(55_000);
  now = 59_999;
  expect(tries.begin()).toBe(1);
  now = 60_000;
  expect(tries.begin()).toBe(0);
});

it('Codes differ', () => {
  const codes = new Set<string>();
  for (let made = 0; made < 200; made++) {
    codeCredentials(randomBytes, (code) => codes.add(code)).begin();
  }
  expect(codes.size).toBe(200);
});

describe('A password', () => {
  it('is hashed, and its hash lets it in behind a proxy with TLS', async () => {
    const password = 'jua kali na mvua 7';
    const hashing = spawnConsole({}, 'hash', `${password}\n`);
    expect(await hashing.exited).toBe(0);
    const [, hash = ''] = /^CONSOLE_PASSWORD_HASH='(.*)'\n$/.exec(hashing.output()) ?? [];
    expect(hash).toMatch(/^scrypt\$32768\$8\$3\$/);
    expect(hash).not.toContain(password);
    const origin = 'https://operator.example.com';
    const running = await openConsole({
      SERVICE_URL: service.url,
      CONSOLE_PASSWORD_HASH: hash,
      CONSOLE_ORIGIN: origin,
    });
    try {
      expect(running.codes).toEqual([]);
      const headers = { Host: 'operator.example.com', Origin: origin };
      const visitor = running.visitor();
      const wrong = await visitor.post('/sign-in', { secret: `${password}x` }, headers);
      expect(wrong.status).toBe(401);
      const right = await visitor.post('/sign-in', { secret: password }, headers);
      expect(right.status).toBe(303);
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
    const hashing = spawnConsole({}, 'hash', 'eleven char\n');
    expect(await hashing.exited).toBe(1);
    expect(hashing.output()).toBe('the password has 11 characters; it must have 12 to 1024\n');
  });
});

it('The line that hash prints can be pasted into a shell and into a file of settings', async () => {
  const hashing = spawnConsole({}, 'hash', 'jua kali na mvua 7\n');
  await hashing.exited;
  const line = hashing.output();
  const pasted = execFileSync('sh', ['-c', `${line}printf %s "$CONSOLE_PASSWORD_HASH"`]).toString();
  expect(pasted).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  const folder = await openTemporaryFolder();
  const file = join(folder.path, 'settings');
  await writeFile(file, line);
  expect(withSettingsFiles({}, [file])).toEqual({ CONSOLE_PASSWORD_HASH: pasted });
  await folder.remove();
  // As a program that keeps the quotation marks hands it over.
  const kept = { ADMIN_API_KEY: ADMIN_KEY, CONSOLE_PASSWORD_HASH: `'${pasted}'` };
  expect(readConsoleSettings(kept, undefined).passwordHash).toMatchObject({ cost: 32_768 });
});

it('The program says in one sentence that its port is taken, and prints no code', async () => {
  const environment = { SERVICE_URL: service.url, ADMIN_API_KEY: ADMIN_KEY };
  const first = await startConsoleProcess(environment);
  const { port } = new URL(first.origin);
  const second = spawnConsole({ ...environment, CONSOLE_PORT: port });
  expect(await second.exited).toBe(1);
  expect(second.output()).toBe(
    `the console cannot listen on 127.0.0.1:${port}: another program has this port; set CONSOLE_PORT to a free one\n`,
  );
  await first.stop();
});

it('The program prints a code and its address, and ends on SIGTERM', async () => {
  const running = await startConsoleProcess({ SERVICE_URL: service.url, ADMIN_API_KEY: ADMIN_KEY });
  expect(running.code()).toMatch(/^[A-Z2-9]{8}$/);
  expect((await fetch(`${running.origin}/sign-in`)).status).toBe(200);
  expect(await running.stop()).toBe(0);
  expect(running.output()).not.toContain(ADMIN_KEY);
});

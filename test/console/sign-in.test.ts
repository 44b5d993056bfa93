// Signing in: codes, passwords, guessing, cookies, sessions.

import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { SESSION_IDLE_MAX_MS, Sessions } from '../../src/tools/console/sessions.js';
import { settingsIn } from '../../src/tools/program/command.js';
import { type OpenConsole, openConsole } from '../support/console-visitor.js';
import { startManage } from '../support/manage.js';

const PASSWORD = 'jua kali na mvua 7';
const ADDRESS = { SERVICE_URL: 'http://127.0.0.1:1/api/v1' };

let console_: OpenConsole;
/** `console_PORT` */
let cookie: string;
const newestCode = () => console_.codes.at(-1) ?? '';

beforeEach(async () => {
  console_ = await openConsole(ADDRESS);
  cookie = `console_${new URL(console_.origin).port}`;
  return () => console_.close();
});

it('A console whose port is in use reports the setting', async () => {
  const { port } = new URL(console_.origin);
  await expect(openConsole({ ...ADDRESS, CONSOLE_PORT: port })).rejects.toThrow(
    `the console cannot listen on 127.0.0.1:${port}: this port is in use; set CONSOLE_PORT to a free one`,
  );
});

/** Whether a browser with that cookie is signed in. */
async function opens(given: string): Promise<boolean> {
  const visitor = console_.visitor();
  visitor.cookie = given;
  return (await visitor.get('/nothing')).status === 404;
}

describe('A code', () => {
  it('opens one session, even in lower case with spaces, whose cookie scripts cannot read', async () => {
    const secret = newestCode();
    expect(secret).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    const visit = await console_.visitor().signIn(` ${secret.toLowerCase()} `);
    const wanted = `^${cookie}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Lax$`;
    expect(visit.headers['set-cookie']?.[0]).toMatch(new RegExp(wanted));
    const again = await console_.visitor().post('/sign-in', { secret });
    expect([again.status, again.text]).toEqual([401, expect.stringContaining('Wrong code')]);
    expect(new Set(console_.codes).size).toBe(2);
    await console_.signedIn();
  });

  it('can be guessed five times a minute by all browsers together, even in parallel', async () => {
    const guess = (secret: string) => console_.visitor().post('/sign-in', { secret });
    const guesses = Array.from({ length: 9 }, () => guess('AAAAAAAA'));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429, 429]);
    const right = await guess(newestCode());
    expect(right.status).toBe(429);
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(0);
    const tries = new Sessions();
    for (const now of [0, 1, 2, 3, 4]) expect(tries.tryReserve(now)).toBe(0);
    expect([tries.tryReserve(5_000), tries.tryReserve(60_000)]).toEqual([55_000, 0]);
  });

  it('starts a new session; a planted, previous or signed-out id is not accepted', async () => {
    const visitor = console_.visitor();
    const planted = `${cookie}=${'A'.repeat(43)}`;
    visitor.cookie = planted;
    await visitor.signIn(newestCode());
    const first = visitor.cookie;
    await visitor.signIn(newestCode());
    const second = visitor.cookie;
    const cookies = [planted, first, second];
    expect(await Promise.all(cookies.map(opens))).toEqual([false, false, true]);
    expect((await visitor.post('/sign-out', {})).status).toBe(303);
    expect(await opens(second)).toBe(false);
  });

  it.each([
    ['/accounts?q=a', '/accounts?q=a'],
    ['//attacker.example/', '/'],
    ['javascript:alert(1)', '/'],
  ])('redirects from next=%s to %s, even if the visitor is signed in', async (next, location) => {
    const path = `/sign-in?next=${encodeURIComponent(next)}`;
    const visitor = console_.visitor();
    const visit = await visitor.post(path, { secret: newestCode() });
    expect([visit.status, visit.headers['location']]).toEqual([303, location]);
    expect((await visitor.get(path)).headers['location']).toBe(location);
  });
});

it('A session ends after eight hours without use', () => {
  const sessions = new Sessions();
  const id = sessions.open(0);
  expect(sessions.has(id, SESSION_IDLE_MAX_MS)).toBe(true);
  expect(sessions.has(id, 2 * SESSION_IDLE_MAX_MS)).toBe(true);
  expect(sessions.has(id, 3 * SESSION_IDLE_MAX_MS + 1)).toBe(false);
});

it('A password is hashed unless it is too short, and opens the console behind a proxy with TLS', async () => {
  const hashing = startManage(['hash'], {}, { input: `${PASSWORD}\n` });
  expect(await hashing.exited).toBe(0);
  const line = hashing.output();
  // The line can be pasted into a shell, and into a settings file.
  const shell = `${line}printf %s "$CONSOLE_PASSWORD_HASH"`;
  const hash = execFileSync('sh', ['-c', shell]).toString();
  expect(hash).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  expect(settingsIn(line)).toEqual({ CONSOLE_PASSWORD_HASH: hash });

  const origin = 'https://operator.example.com';
  // As passed by a program that keeps the quotation marks.
  const settings = { CONSOLE_PASSWORD_HASH: `'${hash}'`, CONSOLE_ORIGIN: origin };
  const running = await openConsole({ ...ADDRESS, ...settings });
  onTestFinished(() => running.close());
  expect(running.codes).toEqual([]);
  const headers = { Host: 'operator.example.com', Origin: origin };
  const visitor = running.visitor();
  const wrong = await visitor.post('/sign-in', { secret: `${PASSWORD}x` }, headers);
  expect(wrong.status).toBe(401);
  const right = await visitor.post('/sign-in', { secret: PASSWORD }, headers);
  expect(right.headers['set-cookie']?.[0]).toMatch(
    /^__Host-console_443=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect((await visitor.get('/nothing', headers)).status).toBe(404);
  // The name of this machine is not the one that browsers use.
  expect((await visitor.get('/nothing')).status).toBe(421);
  const short = startManage(['hash'], {}, { input: 'eleven char\n' });
  expect(await short.exited).toBe(1);
  expect(short.output()).toBe('the password has 11 characters; it must have 12 to 1024\n');
});

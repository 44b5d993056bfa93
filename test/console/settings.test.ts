// The console's settings: the defaults of the page, and refusals without secrets.

import { expect, it } from 'vitest';
import { SETTING_NAMES } from '../../src/hosts/settings/warnings.js';
import { readConsoleSettings } from '../../src/hosts/settings.js';
import { startDataCommand } from '../support/data-command.js';
import { codesIn, sectionOf, tableRows } from '../support/pages.js';

const KEY = 'a-key-that-no-message-may-repeat-1234';
const read = (environment: Record<string, string>) =>
  readConsoleSettings({ ADMIN_API_KEY: KEY, ...environment }, () => `${KEY}\nsecond\n`);

it('Unset settings have the defaults of the page', () => {
  const rows = tableRows(sectionOf('src/tools/console/README.md', '## Settings'));
  const named = rows.map((row) => codesIn(row['Setting'] ?? ''));
  const defaults = rows.map((row, at) => [named[at]?.[0], codesIn(row['Default'] ?? '')[0]]);
  // Of a file with two keys the first line is taken.
  const settings = read({ ADMIN_API_KEY: '', ADMIN_API_KEY_FILE: 'key' });
  expect(settings.adminKey).toBe(KEY);
  expect(Object.fromEntries(defaults)).toMatchObject({
    SERVICE_URL: settings.serviceUrl,
    CONSOLE_HOST: settings.host,
    CONSOLE_PORT: String(settings.port),
  });
  const known = SETTING_NAMES.filter((name) => name.startsWith('CONSOLE_'));
  expect(named.flat()).toEqual(expect.arrayContaining(known));
});

it.each<[Record<string, string>, string | undefined]>([
  [{}, undefined],
  [{ OPS_PORT: '0' }, undefined],
  [{ OPS_PORT: '8082' }, 'http://127.0.0.1:8082'],
  [{ OPS_PORT: '8082', OPS_HOST: '::1' }, 'http://[::1]:8082'],
])('The operations port is the one of the service’s own settings: %o', (environment, url) => {
  expect(read(environment).opsUrl).toBe(url);
});

it.each([
  ['ADMIN_API_KEY', '', 'is unset'],
  ['SERVICE_URL', 'http://api.example.com/api/v1', 'is "http://api.example.com'],
  ['SERVICE_URL', 'https://u:secret@api.example.com', 'is "https://(hidden)@api.example.com"'],
  ['SERVICE_URL', 'ftp://127.0.0.1/', 'is "ftp://127.0.0.1/"'],
  ['CONSOLE_HOST', '0.0.0.0', 'CONSOLE_ORIGIN is unset; it must be the https origin'],
  ['CONSOLE_ORIGIN', 'http://operator.example.com', 'is'],
  ['CONSOLE_ORIGIN', 'https://operator.example.com/', 'is'],
  ['CONSOLE_PORT', '70000', 'is "70000"'],
  ['CONSOLE_PASSWORD_HASH', 'secret', 'is (hidden)'],
  ['CONSOLE_PASSWORD_HASH', `scrypt$3$8$1$${'a'.repeat(22)}$${'b'.repeat(43)}`, 'is (hidden)'],
])('%s=%s is refused, without a secret', (name, value, words) => {
  const reading = () => read({ [name]: value });
  expect(reading).toThrow(words.startsWith('is') ? `${name} ${words}` : words);
  expect(reading).not.toThrow(/secret|a-key-that/);
});

it('A setting that cannot be used ends the start as a usage error, with one line', async () => {
  const run = startDataCommand(['console'], { ADMIN_API_KEY: KEY, CONSOLE_PORT: 'x' });
  expect(await run.exited).toBe(2);
  expect(run.output()).toBe('CONSOLE_PORT is "x"; it must be a whole number from 0 to 65535\n');
});

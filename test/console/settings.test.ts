// The console's settings: the documented defaults, and errors without secrets.

import { expect, it } from 'vitest';
import { readConsoleSettings } from '../../src/hosts/settings.js';
import { codesIn, sectionOf, tableRows } from '../support/pages.js';

const KEY = 'a-key-that-no-message-may-repeat-1234';
const read = (environment: Record<string, string>) =>
  readConsoleSettings({ ADMIN_API_KEY: KEY, ...environment }, () => `${KEY}\nsecond\n`);

it('Unset settings have the documented defaults, and the operations port is the service’s', () => {
  const rows = tableRows(sectionOf('src/tools/console/README.md', '## Settings'));
  const defaults = rows.map((row) =>
    ['Setting', 'Default'].map((column) => codesIn(row[column] ?? '')[0]),
  );
  // The first line of a file with two keys is used.
  const settings = read({ ADMIN_API_KEY: '', ADMIN_API_KEY_FILE: 'key' });
  expect([settings.adminKey, settings.opsUrl]).toEqual([KEY, undefined]);
  expect(Object.fromEntries(defaults)).toMatchObject({
    SERVICE_URL: settings.serviceUrl,
    CONSOLE_HOST: settings.host,
    CONSOLE_PORT: String(settings.port),
  });
  expect(read({ OPS_PORT: '0' }).opsUrl).toBe(undefined);
  expect(read({ OPS_PORT: '8082', OPS_HOST: '::1' }).opsUrl).toBe('http://[::1]:8082');
});

it.each([
  ['SERVICE_URL', 'https://u:secret@api.example.com', 'is "https://(hidden)@api.example.com"'],
  ['CONSOLE_HOST', '0.0.0.0', 'CONSOLE_ORIGIN is unset; it must be the https origin'],
  ['CONSOLE_ORIGIN', 'http://operator.example.com', 'is'],
  ['CONSOLE_PORT', '70000', 'is "70000"'],
  ['CONSOLE_PASSWORD_HASH', `scrypt$3$8$1$${'a'.repeat(22)}$${'b'.repeat(43)}`, 'is (hidden)'],
])('%s=%s is refused with an error without secrets', (name, value, words) => {
  const reading = () => read({ [name]: value });
  expect(reading).toThrow(words.startsWith('is') ? `${name} ${words}` : words);
  expect(reading).not.toThrow(/secret|a-key-that/);
});

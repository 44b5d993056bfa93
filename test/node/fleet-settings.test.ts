// The settings of a process of a fleet, and what ends its start.

import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/hosts/settings.js';
import { refusalOf } from '../support/refused-setting.js';

const DATABASE_URL = 'postgres://service:secret@10.0.0.9:5432/service?sslmode=verify-full';
const FLEET_KEY = 'a-key-of-32-characters-or-more-1';
const TLS = { FLEET_TLS_CERT: 'cert.pem', FLEET_TLS_KEY: 'key.pem', FLEET_TLS_CA: 'ca.pem' };
const readFile = (path: string) => `text of ${path}`;

describe('The settings of a fleet', () => {
  it('are there with a postgres URL alone, and have defaults', () => {
    expect(readSettings({}).fleet).toBeUndefined();
    for (const databaseUrl of [DATABASE_URL, DATABASE_URL.replace('postgres', 'postgresql')]) {
      expect(readSettings({ DATABASE_URL: databaseUrl }).fleet).toEqual({
        databaseUrl,
        host: '127.0.0.1',
        port: 0,
        url: undefined,
        key: undefined,
        tls: undefined,
      });
    }
  });

  it('take an address, a key from a file, and TLS', () => {
    const address = { FLEET_HOST: '203.0.113.5', FLEET_PORT: '9100' };
    const environment = { DATABASE_URL, ...TLS, ...address, FLEET_URL: 'https://one.example:9100' };
    const keyFile = (path: string) => (path === 'key.txt' ? `${FLEET_KEY}\n` : readFile(path));
    expect(readSettings({ ...environment, FLEET_KEY_FILE: 'key.txt' }, keyFile).fleet).toEqual({
      databaseUrl: DATABASE_URL,
      host: '203.0.113.5',
      port: 9100,
      url: 'https://one.example:9100',
      key: FLEET_KEY,
      tls: { cert: 'text of cert.pem', key: 'text of key.pem', ca: 'text of ca.pem' },
    });
  });

  it.each([
    [{ FLEET_HOST: '203.0.113.5' }, 'FLEET_HOST is "203.0.113.5"'],
    [
      { FLEET_URL: 'https://10.0.0.5:9100' },
      'it must be the address of this process, such as http:',
    ],
    [{ FLEET_URL: 'http://10.0.0.5:9100/path' }, 'FLEET_URL is'],
    [{ FLEET_KEY: 'short' }, 'FLEET_KEY is (hidden)'],
    [{ FLEET_KEY, FLEET_KEY_FILE: 'key.txt' }, 'it must be the only one of the two'],
    [{ FLEET_TLS_CERT: 'cert.pem' }, 'FLEET_TLS_KEY is unset'],
    [{ BACKUP_DIR: '/backups' }, "here Postgres' own backups"],
    [{ REPLICATION: 'sync' }, "here Postgres' own standbys"],
    [{ DATABASE_CREATE: 'yes' }, 'it is of a database file'],
    [{ DATABASE_URL: 'postgres://service:secret@host' }, 'a postgres URL (hidden)'],
    [{ DATABASE_URL: 'mysql://service:secret@host/db' }, 'or postgres://… for a fleet'],
  ])('refuse %j with what is wanted', (wrong, words) => {
    const { message: refusal } = refusalOf({ DATABASE_URL, ...wrong }, readFile);
    expect(refusal).toContain(words);
    expect(refusal).not.toContain('secret');
    expect(refusal).not.toContain(FLEET_KEY);
  });

  it('are refused beside a file, where nobody would use them', () => {
    expect(refusalOf({ FLEET_KEY }).message).toBe(
      'FLEET_KEY is set; it must be unset, or DATABASE_URL must be a postgres:// URL',
    );
  });
});

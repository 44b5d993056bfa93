// The files that operators copy, against the service and each other: metrics, settings,
// and values that must fit together.

import { describe, expect, it } from 'vitest';
import {
  HEADER_READ_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  REQUEST_BODY_MAX_BYTES,
  REQUEST_READ_TIMEOUT_MS,
  RESPONSE_WRITE_TIMEOUT_MS,
} from '../../src/core/domain/limits.js';
import { misspelledNames, SETTING_NAMES } from '../../src/hosts/settings/warnings.js';
import { readSettings } from '../../src/hosts/settings.js';
import { settingsIn } from '../../src/tools/program/settings-file.js';
import { constantOf, textOf } from '../support/pages.js';

const PAGE = 'src/hosts/operations/README.md';
const unit = fileOf('service-management.service');
const settings = fileOf('service-management.env');
const litestream = fileOf('litestream.yml');
const nginx = fileOf('nginx.conf');

describe('service-management.service', () => {
  it('gives a stop the time that it may take', () => {
    const drain = constantOf('src/hosts/node/service.ts', 'DRAIN_DEADLINE_MS');
    expect(numberIn(unit, /^TimeoutStopSec=(\d+)$/m)).toBeGreaterThan(drain / 1000);
  });

  it('reads the settings that operators copy', () => {
    const path = /^EnvironmentFile=(\S+)$/m.exec(unit)?.[1] ?? '';
    expect(settings).toContain(`copies it to ${path},`);
    expect(fileOf('install.sh')).toContain(`settings=${path}\n`);
    expect(textOf(PAGE)).toContain(`--settings ${path}`);
  });
});

describe('service-management.env', () => {
  it('has settings alone, and the operator’s commands can read it', () => {
    // Also those that are commented out.
    const lines = settings.replaceAll(/^#(?=[A-Z_]+=)/gm, '');
    const read = settingsIn(lines);
    expect(misspelledNames(read)).toEqual([]);
    expect(Object.keys(read).filter((name) => !SETTING_NAMES.includes(name as never))).toEqual([]);
    expect(() => readSettings(read, () => 'k'.repeat(40))).not.toThrow();
    expect(fileOf('install.sh')).toContain(`key=${read['ADMIN_API_KEY_FILE']}\n`);
    expect(fileOf('install.sh')).toContain(` ${read['BACKUP_DIR']};`);
  });

  it('opens the operations port that prometheus.yml asks and the page names', () => {
    const port = numberIn(settings, /^OPS_PORT=(\d+)$/m);
    expect(numberIn(fileOf('prometheus.yml'), /targets: \["127\.0\.0\.1:(\d+)"\]/)).toBe(port);
    expect(textOf(PAGE)).toContain(`the settings file has ${port}`);
    expect(textOf(PAGE)).toContain(`http://127.0.0.1:${port}/metrics`);
  });
});

describe('litestream.yml', () => {
  const replication = 'src/storage/replication/README.md';

  it('keeps Litestream from acting by itself, as the page says', () => {
    const interval = /^ +monitor-interval: (\w+)$/m.exec(litestream)?.[1];
    expect(interval).toBe('24h');
    expect(textOf(replication)).toContain(`\`monitor-interval: ${interval}\``);
  });

  it('has the socket that the page and the settings of its own unit name', () => {
    const socket = /^ +path: (\/run\S+)$/m.exec(litestream)?.[1];
    expect(litestream).toContain(`REPLICATION=async:${socket}\n`);
    expect(textOf(replication)).toContain(`REPLICATION=async:${socket}\n`);
    const folder = /^RuntimeDirectory=(\S+)$/m.exec(fileOf('litestream.service'))?.[1];
    expect(socket).toBe(`/run/${folder}/litestream.sock`);
  });

  it('has the database of the service’s settings', () => {
    const database = /^DATABASE_URL=file:(\S+)$/m.exec(settings)?.[1];
    expect(litestream).toContain(`  - path: ${database}\n`);
  });
});

describe('The proxies', () => {
  it.each([
    ['nginx.conf', nginx, /keepalive_timeout (\d+)s;\n\}/],
    ['Caddyfile', fileOf('Caddyfile'), /keepalive (\d+)s/],
  ])('%s ends idle connections to the service before the service does', (_, text, pattern) => {
    expect(numberIn(text, pattern)).toBeLessThan(KEEP_ALIVE_TIMEOUT_MS / 1000);
  });

  it.each([
    ['client_header_timeout', HEADER_READ_TIMEOUT_MS],
    ['client_body_timeout', REQUEST_READ_TIMEOUT_MS],
    ['send_timeout', RESPONSE_WRITE_TIMEOUT_MS],
  ])('nginx.conf has the contract’s limit as %s', (name, milliseconds) => {
    expect(numberIn(nginx, new RegExp(` ${name} (\\d+)s;`)) * 1000).toBe(milliseconds);
  });

  it('nginx.conf lets the service refuse a body itself', () => {
    const megabytes = numberIn(nginx, /client_max_body_size (\d+)m;/);
    expect(megabytes * 2 ** 20).toBeGreaterThan(REQUEST_BODY_MAX_BYTES);
    expect(nginx).toContain(`longer than ${REQUEST_BODY_MAX_BYTES} bytes`);
  });
});

function fileOf(name: string): string {
  return textOf(`scripts/operations/${name}`);
}

function numberIn(text: string, pattern: RegExp): number {
  const [, digits] = pattern.exec(text) ?? [];
  if (digits === undefined) throw new Error(`no text matches ${pattern}`);
  return Number(digits);
}

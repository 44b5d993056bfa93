// The files that operators copy, and the changelog, against the service and each other.

import { expect, it } from 'vitest';
import * as limits from '../../src/core/domain/limits.js';
import { API_PREFIX } from '../../src/core/http/path.js';
import { SETTINGS } from '../../src/hosts/settings/schema.js';
import { readSettings } from '../../src/hosts/settings.js';
import { SCHEMA_VERSION } from '../../src/storage/file/file-schema.js';
import { settingsIn } from '../../src/tools/program/command.js';
import { DOCUMENT } from '../support/openapi-document.js';
import { sectionOf, tableRows, textOf } from '../support/pages.js';

const STEPS = 'src/hosts/operations/README.md';
const RUNNING = 'src/hosts/operations/RUNNING.md';
const { version, engines } = JSON.parse(textOf('package.json'));
const file = (name: string) => textOf(`scripts/operations/${name}`);
const nginx = file('nginx.conf');
const settings = file('service-management.env');
const litestream = file('litestream.yml');

/** The pattern's group; fails where the text has none. */
function found(text: string, pattern: RegExp): string {
  const value = pattern.exec(text)?.[1];
  if (value === undefined) throw new Error(`no text matches ${pattern}`);
  return value;
}

/** Also those that are commented out. */
const read = settingsIn(settings.replaceAll(/^#(?=[A-Z_]+=)/gm, ''));
const unit = file('service-management.service');
const path = found(unit, /^EnvironmentFile=(\S+)$/m);
const port = found(settings, /^OPS_PORT=(\d+)$/m);
const socket = found(litestream, /^ +path: (\/run\S+)$/m);
const address = found(file('compose.yml'), /OPS_HOST: ([\d.]+)/);
const inside = found(file('Containerfile'), /OPS_PORT=(\d+)/);

it('The settings file has settings alone, which the service takes', () => {
  expect(Object.keys(SETTINGS.shape)).toEqual(expect.arrayContaining(Object.keys(read)));
  expect(() => readSettings(read, () => 'k'.repeat(40))).not.toThrow();
});

it.each([
  ['install.sh', `key=${read['ADMIN_API_KEY_FILE']}\n`],
  ['install.sh', ` ${read['BACKUP_DIR']};`],
  ['install.sh', `settings=${path}\n`],
  ['prometheus.yml', `targets: ["127.0.0.1:${port}"]`],
  ['prometheus.compose.yml', `targets: ["${address}:8082"]`],
  ['compose.yml', `ipv4_address: ${address}\n`],
  ['kubernetes.yml', `name: operations\n              containerPort: ${inside}\n`],
  ['kubernetes.yml', `prometheus.io/port: "${inside}"`],
  ['kubernetes.yml', 'type: Recreate'],
  ['kubernetes.yml', `service-management:${version}\n`],
  ['litestream.yml', `  - path: ${found(settings, /^DATABASE_URL=file:(\S+)$/m)}\n`],
  // It never acts by itself.
  ['litestream.yml', ' monitor-interval: 24h\n'],
  ['litestream.yml', `REPLICATION=async:${socket}\n`],
  ['litestream.service', `RuntimeDirectory=${socket.split('/')[2]}\n`],
])('%s has the address, path or version of the other files: %j', (name, text) => {
  expect(file(name)).toContain(text);
});

it('The pages have the settings file, port and socket of the files, and the unit waits for the service', () => {
  expect(textOf(STEPS)).toContain(`--settings ${path}`);
  expect(textOf(STEPS)).toContain(`http://127.0.0.1:${port}/status`);
  expect(textOf(RUNNING)).toContain(`REPLICATION=async:${socket}\n`);
  // The stop itself ends within 15 s.
  expect(Number(found(unit, /^TimeoutStopSec=(\d+)$/m))).toBeGreaterThan(15);
});

it('The proxies have the contract’s limits, and end idle connections before the service does', () => {
  const ms = (text: string, pattern: RegExp) => Number(found(text, pattern)) * 1000;
  expect(ms(nginx, /client_header_timeout (\d+)s;/)).toBe(limits.HEADER_READ_TIMEOUT_MS);
  expect(ms(nginx, /client_body_timeout (\d+)s;/)).toBe(limits.REQUEST_READ_TIMEOUT_MS);
  expect(ms(nginx, /send_timeout (\d+)s;/)).toBe(limits.RESPONSE_WRITE_TIMEOUT_MS);
  const megabytes = Number(found(nginx, /client_max_body_size (\d+)m;/));
  expect(megabytes * 2 ** 20).toBeGreaterThan(limits.REQUEST_BODY_MAX_BYTES);
  expect(ms(nginx, /timeout (\d+)s;\n\}/)).toBeLessThan(limits.KEEP_ALIVE_TIMEOUT_MS);
  expect(ms(file('Caddyfile'), /alive (\d+)s/)).toBeLessThan(limits.KEEP_ALIVE_TIMEOUT_MS);
});

it('The changelog begins with this version, its API, schema and Node', () => {
  expect(found(textOf('src/CHANGELOG.md'), /^## (.*)$/m)).toBe(version);
  const rows = tableRows(sectionOf('src/CHANGELOG.md', `## ${version}`));
  const text = rows.map((row) => Object.values(row).join(' ')).join('\n');
  expect(text).toContain(`API ${API_PREFIX.slice(5)}, description ${DOCUMENT.info.version}`);
  expect(text).toMatch(new RegExp(`Schema of the database file ?.*\\b${SCHEMA_VERSION}\\b`));
  expect(text).toContain(`${engines.node.slice(2)} or newer`);
});

// The files that operators copy, and the changelog, against the service and each other.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as limits from '../../src/core/domain/limits.js';
import { API_PREFIX } from '../../src/core/http/path.js';
import { SETTINGS } from '../../src/hosts/settings/schema.js';
import { readSettings } from '../../src/hosts/settings.js';
import { SCHEMA_VERSION } from '../../src/storage/file/file-schema.js';
import { settingsIn } from '../../src/tools/program/settings-file.js';
import { DOCUMENT } from '../support/openapi-document.js';
import { ROOT, sectionOf, tableRows, textOf } from '../support/pages.js';

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

it('The settings file has settings alone, which the service takes', () => {
  // Also those that are commented out.
  const read = settingsIn(settings.replaceAll(/^#(?=[A-Z_]+=)/gm, ''));
  expect(Object.keys(SETTINGS.shape)).toEqual(expect.arrayContaining(Object.keys(read)));
  expect(() => readSettings(read, () => 'k'.repeat(40))).not.toThrow();
  expect(file('install.sh')).toContain(`key=${read['ADMIN_API_KEY_FILE']}\n`);
  expect(file('install.sh')).toContain(` ${read['BACKUP_DIR']};`);
  expect(litestream).toContain(`  - path: ${found(settings, /^DATABASE_URL=file:(\S+)$/m)}\n`);
});

it('Unit, installation and page have the same settings file and operations port', () => {
  const unit = file('service-management.service');
  const path = found(unit, /^EnvironmentFile=(\S+)$/m);
  expect(file('install.sh')).toContain(`settings=${path}\n`);
  expect(textOf(STEPS)).toContain(`--settings ${path}`);
  const drain = found(textOf('src/hosts/node/service.ts'), /DRAIN_DEADLINE_MS = ([\d_]+)/);
  expect(Number(found(unit, /^TimeoutStopSec=(\d+)$/m))).toBeGreaterThan(
    Number(drain.replace('_', '')) / 1000,
  );
  const port = found(settings, /^OPS_PORT=(\d+)$/m);
  expect(file('prometheus.yml')).toContain(`targets: ["127.0.0.1:${port}"]`);
  expect(textOf(STEPS)).toContain(`http://127.0.0.1:${port}/status`);
});

it('Litestream keeps from acting by itself, and has the socket that the page names', () => {
  expect(litestream).toMatch(/^ +monitor-interval: 24h$/m);
  const socket = found(litestream, /^ +path: (\/run\S+)$/m);
  expect(litestream).toContain(`REPLICATION=async:${socket}\n`);
  expect(textOf(RUNNING)).toContain(`REPLICATION=async:${socket}\n`);
  const folder = found(file('litestream.service'), /^RuntimeDirectory=(\S+)$/m);
  expect(socket).toBe(`/run/${folder}/litestream.sock`);
});

it('The proxies have the contract’s limits, and end idle connections before the service does', () => {
  const seconds = (name: string) => Number(found(nginx, new RegExp(` ${name} (\\d+)s;`))) * 1000;
  expect(seconds('client_header_timeout')).toBe(limits.HEADER_READ_TIMEOUT_MS);
  expect(seconds('client_body_timeout')).toBe(limits.REQUEST_READ_TIMEOUT_MS);
  expect(seconds('send_timeout')).toBe(limits.RESPONSE_WRITE_TIMEOUT_MS);
  const megabytes = Number(found(nginx, /client_max_body_size (\d+)m;/));
  expect(megabytes * 2 ** 20).toBeGreaterThan(limits.REQUEST_BODY_MAX_BYTES);
  for (const idle of [
    found(nginx, /timeout (\d+)s;\n\}/),
    found(file('Caddyfile'), /alive (\d+)s/),
  ]) {
    expect(Number(idle) * 1000).toBeLessThan(limits.KEEP_ALIVE_TIMEOUT_MS);
  }
});

it('The first chapter names archives of this version and files of the release', () => {
  const chapter = sectionOf(STEPS, '## The steps');
  const versions = chapter.match(/(?<=service-management-)\d+\.\d+\.\d+/g);
  expect(new Set(versions)).toEqual(new Set([version]));
  for (const [, name = ''] of chapter.matchAll(/operations\/([\w-]+\.\w+)/g)) {
    expect(existsSync(join(ROOT, 'scripts/operations', name)), name).toBe(true);
  }
});

it('The changelog begins with this version, its API, schema and Node', () => {
  const changelog = textOf('src/CHANGELOG.md');
  expect(/^## .*$/m.exec(changelog)?.[0]).toBe(`## ${version}`);
  const rows = tableRows(sectionOf('src/CHANGELOG.md', `## ${version}`));
  const text = rows.map((row) => Object.values(row).join(' ')).join('\n');
  expect(text).toContain(`API ${API_PREFIX.slice(5)}, description ${DOCUMENT.info.version}`);
  expect(text).toMatch(new RegExp(`Schema of the database file ?.*\\b${SCHEMA_VERSION}\\b`));
  expect(text).toContain(`${engines.node.slice(2)} or newer`);
});

it('The files for containers have this version, one writer, and the ports of each other', () => {
  const [compose, kubernetes] = [file('compose.yml'), file('kubernetes.yml')];
  const address = found(compose, /OPS_HOST: ([\d.]+)/);
  expect(compose).toContain(`ipv4_address: ${address}\n`);
  expect(file('prometheus.compose.yml')).toContain(`targets: ["${address}:8082"]`);
  const port = found(file('Containerfile'), /OPS_PORT=(\d+)/);
  expect(kubernetes).toContain(`name: operations\n              containerPort: ${port}\n`);
  expect(kubernetes).toContain(`prometheus.io/port: "${port}"`);
  expect(kubernetes).toContain('type: Recreate');
  const images = kubernetes.match(/service-management:[\d.]+/g);
  expect(new Set(images)).toEqual(new Set([`service-management:${version}`]));
});

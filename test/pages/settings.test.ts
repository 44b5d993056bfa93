// The tables of settings and limits, the files that operators copy, and the changelog, compared
// with what the service uses, and with each other.

import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import * as limits from '../../src/core/domain/limits.js';
import { API_PREFIX } from '../../src/core/http/path.js';
import { SETTINGS } from '../../src/hosts/settings/schema.js';
import { readSettings } from '../../src/hosts/settings.js';
import { SCHEMA_VERSION } from '../../src/storage/file/file-schema.js';
import { settingsIn } from '../../src/tools/program/command.js';
import { DOCUMENT } from '../support/openapi-document.js';
import { codesIn, PAGES, sectionOf, tableRows, textOf } from '../support/pages.js';

const PAGE = 'src/hosts/node/README.md';
const STEPS = 'src/hosts/operations/README.md';
const RUNNING = 'src/hosts/operations/RUNNING.md';
const CONSTANTS: Readonly<Record<string, number>> = limits;
const { version, engines } = JSON.parse(textOf('package.json'));
const file = (name: string) => textOf(name.endsWith('.md') ? name : `scripts/operations/${name}`);
const nginx = file('nginx.conf');
const settings = file('service-management.env');
const litestream = file('litestream.yml');

/** The pattern's group; fails if the text has none. */
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

it('The settings file has only settings that the service accepts', () => {
  expect(Object.keys(SETTINGS)).toEqual(expect.arrayContaining(Object.keys(read)));
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
  // Litestream never syncs by itself.
  ['litestream.yml', ' monitor-interval: 24h\n'],
  ['litestream.yml', `REPLICATION=async:${socket}\n`],
  ['litestream.service', `RuntimeDirectory=${socket.split('/')[2]}\n`],
  [STEPS, `--settings ${path}`],
  [STEPS, `http://127.0.0.1:${port}/status`],
  [RUNNING, `REPLICATION=async:${socket}\n`],
])('%s has the same address, path or version as the other files: %j', (name, text) => {
  expect(file(name)).toContain(text);
});

it('The proxies have the contract’s limits, and end idle connections before the service does; the unit waits for its stop', () => {
  const ms = (text: string, pattern: RegExp) => Number(found(text, pattern)) * 1000;
  expect(ms(nginx, /client_header_timeout (\d+)s;/)).toBe(limits.HEADER_READ_TIMEOUT_MS);
  expect(ms(nginx, /client_body_timeout (\d+)s;/)).toBe(limits.REQUEST_READ_TIMEOUT_MS);
  expect(ms(nginx, /send_timeout (\d+)s;/)).toBe(limits.RESPONSE_WRITE_TIMEOUT_MS);
  const megabytes = Number(found(nginx, /client_max_body_size (\d+)m;/));
  expect(megabytes * 2 ** 20).toBeGreaterThan(limits.REQUEST_BODY_MAX_BYTES);
  expect(ms(nginx, /timeout (\d+)s;\n\}/)).toBeLessThan(limits.KEEP_ALIVE_TIMEOUT_MS);
  expect(ms(file('Caddyfile'), /alive (\d+)s/)).toBeLessThan(limits.KEEP_ALIVE_TIMEOUT_MS);
  // A stop ends within 15 s.
  expect(ms(unit, /^TimeoutStopSec=(\d+)$/m)).toBeGreaterThan(15_000);
});

it('The changelog starts with this version, its API, schema and Node', () => {
  expect(found(textOf('src/CHANGELOG.md'), /^## (.*)$/m)).toBe(version);
  const rows = tableRows(sectionOf('src/CHANGELOG.md', `## ${version}`));
  const text = rows.map((row) => Object.values(row).join(' ')).join('\n');
  expect(text).toContain(`API ${API_PREFIX.slice(5)}, description ${DOCUMENT.info.version}`);
  expect(text).toMatch(new RegExp(`Schema of the database file ?.*\\b${SCHEMA_VERSION}\\b`));
  expect(text).toContain(`${engines.node.slice(2)} or newer`);
});

const ROWS = tableRows(sectionOf(PAGE, '## Settings')).map((row) => ({
  name: codesIn(row['Setting'] ?? '')[0] ?? '',
  fallback: row['Default']?.replaceAll('`', ''),
  host: row['Hosts'] ?? '',
}));

it('The table of settings has every setting of the service, and no other', () => {
  const names = Object.keys(SETTINGS);
  const ofService = names.filter((name) => !/^CONSOLE_|^SERVICE_URL$/.test(name));
  expect(ROWS.map(({ name }) => name).sort()).toEqual(ofService.sort());
  expect(ROWS.filter(({ host }) => !['Node', 'Workers', 'both'].includes(host))).toEqual([]);
});

it.each(PAGES)('The defaults of settings on %s are those of the service', (page) => {
  for (const row of tableRows(textOf(page))) {
    const names = codesIn(row['Setting'] ?? row['Name'] ?? '');
    if (row['Default'] === undefined || !names.every((name) => name in SETTINGS)) continue;
    const defaults = new Set(names.map(defaultOf));
    expect(row['Default'].replaceAll('`', '')).toBe([...defaults].join(', '));
  }
});

it('wrangler.toml names every setting that Workers have, and no other, and changes no default', () => {
  const text = textOf('wrangler.toml');
  const { vars } = parse(text) as { vars: Record<string, string> };
  const comments = (text.match(/^#.*$/gm) ?? []).join('\n');
  const named = [...Object.keys(vars), ...(comments.match(/[A-Z]+_[A-Z_]+/g) ?? [])];
  const wanted = ROWS.filter(({ host }) => host !== 'Node').map(({ name }) => name);
  expect([...new Set(named)].sort(), `${PAGE} says which Workers have`).toEqual(wanted.sort());
  for (const [name, value] of Object.entries(vars)) {
    // Empty is unset.
    expect(['', ROWS.find((row) => row.name === name)?.fallback], name).toContain(value);
  }
});

function defaultOf(name: string): string {
  const value: unknown = SETTINGS[name as keyof typeof SETTINGS].fallback;
  if (name === 'DATABASE_URL') return `file:${(value as { file: string }).file}`;
  return ['string', 'number'].includes(typeof value) && value !== 'off' ? `${value}` : 'unset';
}

it('The table of limits has every limit, with its value', () => {
  const rows = tableRows(sectionOf(PAGE, '## Limits'));
  const named = rows.map((row) => codesIn(row['Constant'] ?? ''));
  expect(named.flat().sort()).toEqual(Object.keys(CONSTANTS).sort());
  const values = named.map((names) => names.map((name) => inWords(name)).join(', '));
  expect(rows.map((row) => row['Value'])).toEqual(values);
});

/** `REQUEST_BODY_MAX_BYTES`, 1048576 → `1 MiB`: the name ends in its unit. */
function inWords(name: string): string {
  const value = CONSTANTS[name] ?? Number.NaN;
  if (name.endsWith('_MS')) return `${value / 1000} s`;
  if (name.endsWith('_SECONDS')) return `${value} s`;
  if (!name.endsWith('_BYTES')) return value.toLocaleString('en-US');
  return value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : `${value / 2 ** 10} KiB`;
}

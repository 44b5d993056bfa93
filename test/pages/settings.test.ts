// The table of settings in the operators' page against the settings that the
// service reads: names in both directions, defaults, and the hosts that have them.

import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { SETTING_NAMES } from '../../src/hosts/settings/warnings.js';
import { type Environment, readSettings, type Settings } from '../../src/hosts/settings.js';
import { codesIn, sectionOf, tableRows, textOf } from '../support/pages.js';

const PAGE = 'src/hosts/node/README.md';
const HOSTS = ['Node', 'Workers', 'both'];

const ROWS = tableRows(sectionOf(PAGE, '## Settings')).map((row) => ({
  name: codesIn(row['Setting'] ?? '')[0] ?? '',
  fallback: (row['Default'] ?? '').replaceAll('`', ''),
  host: row['Hosts'] ?? '',
}));

/** Settings without which others have no effect. */
const BASES: readonly Environment[] = [
  {},
  { AUTH_USERINFO_URL: 'https://id.example.com/userinfo' },
  { BACKUP_DIR: 'backups' },
  { OPS_PORT: '0', REQUEST_LOG: 'slow' },
  { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'api' },
  { DATABASE_URL: 'postgres://service@127.0.0.1/service' },
];
const KEY = 'k'.repeat(32);
/** Values of every kind that a setting may take; add one if a new kind of setting finds none. */
const PROBES = ['1', '2', 'on', 'off', 'yes', 'all', 'async', 'POST', 'a.b', KEY].concat(
  'file:other.db',
  'https://a.example',
  '{"apikey":"k"}',
  '127.0.0.9',
  'http://10.0.0.5:9100',
  '/run/other.sock',
  'eu',
  'weur',
);

describe('The table of settings', () => {
  it('has every setting of the service, and no other', () => {
    const ofService = SETTING_NAMES.filter((name) => !/^CONSOLE_|^SERVICE_URL$/.test(name));
    expect(ROWS.map(({ name }) => name).sort()).toEqual(ofService.sort());
  });

  it.each(ROWS)('has the default of $name', ({ name, fallback }) => {
    expect(defaultOf(name)).toBe(fallback);
  });

  it.each(ROWS)('says which hosts have $name', ({ name, host }) => {
    expect(HOSTS, `"Hosts" of ${name}`).toContain(host);
  });
});

describe.each([
  ['src/core/identity/README.md', '## Settings'],
  ['src/hosts/operations/README.md', '## 5. The operations port'],
])('The settings of %s', (page, heading) => {
  const rows = tableRows(sectionOf(page, heading)).filter((row) => row['Default']);

  it.each(rows.map((row) => codesIn(row['Name'] ?? row['Setting'] ?? '')[0] ?? ''))(
    '%s has its default',
    (name) => {
      const row = rows.find((candidate) => Object.values(candidate)[0] === `\`${name}\``);
      expect(row?.['Default']?.replaceAll('`', '')).toBe(defaultOf(name));
    },
  );
});

describe('wrangler.toml', () => {
  const text = textOf('wrangler.toml');
  const { vars } = parse(text) as { vars: Record<string, string> };
  const secrets = [...text.matchAll(/^#.*$/gm)].flatMap(
    ([line]) => line.match(/[A-Z]+_[A-Z_]+/g) ?? [],
  );

  it('names every setting that Workers have, and no other', () => {
    const wanted = ROWS.filter(({ host }) => host !== 'Node').map(({ name }) => name);
    const named = [...Object.keys(vars), ...secrets];
    expect(
      wanted.filter((name) => !named.includes(name)),
      `wrangler.toml lacks these: ${PAGE} says that Workers have them`,
    ).toEqual([]);
    expect(
      named.filter((name) => !wanted.includes(name)),
      `wrangler.toml names these: ${PAGE} does not say that Workers have them`,
    ).toEqual([]);
  });

  it.each(Object.entries(vars))('changes no default: %s', (name, value) => {
    const row = ROWS.find((candidate) => candidate.name === name);
    // Empty is unset: the default, or the one that Workers have in its place.
    expect(['', row?.fallback]).toContain(value);
  });
});

/** The value that a setting has while it is unset, found where another value makes a difference. */
function defaultOf(name: string): string {
  for (const base of BASES) {
    const { [name]: _, ...others } = base;
    for (const probe of PROBES) {
      const difference = firstDifference(
        settingsOf(others),
        settingsOf({ ...others, [name]: probe }),
      );
      if (difference !== undefined) return inWords(difference.before, probe);
    }
  }
  throw new Error(`no probe makes a difference for ${name}; add a value that it takes to PROBES`);
}

function settingsOf(environment: Environment): Settings | undefined {
  try {
    return readSettings(environment, () => KEY);
  } catch {
    return undefined;
  }
}

/** The innermost value in which two settings differ, as it is in the first. */
function firstDifference(before: unknown, after: unknown): { before: unknown } | undefined {
  if (after === undefined || JSON.stringify(before) === JSON.stringify(after)) return undefined;
  if (!isObject(before) || !isObject(after)) return { before };
  for (const key of Object.keys(after)) {
    const found = firstDifference(before[key], after[key]);
    if (found !== undefined) return found;
  }
  return { before };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function inWords(value: unknown, probe: string): string {
  if (value === true) return 'on';
  if (typeof value !== 'string' && typeof value !== 'number') return 'unset';
  return probe.startsWith('file:') ? `file:${value}` : String(value);
}

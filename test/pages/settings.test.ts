// The tables of settings and limits against what the service reads and works by: names in both
// directions, defaults, values, and the hosts that have them.

import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import * as limits from '../../src/core/domain/limits.js';
import { SETTINGS } from '../../src/hosts/settings/schema.js';
import { codesIn, PAGES, sectionOf, tableRows, textOf } from '../support/pages.js';

const PAGE = 'src/hosts/node/README.md';
const ROWS = tableRows(sectionOf(PAGE, '## Settings')).map((row) => ({
  name: codesIn(row['Setting'] ?? '')[0] ?? '',
  fallback: row['Default']?.replaceAll('`', ''),
  host: row['Hosts'] ?? '',
}));

it('The table of settings has every setting of the service, and no other', () => {
  const names = Object.keys(SETTINGS.shape);
  const ofService = names.filter((name) => !/^CONSOLE_|^SERVICE_URL$/.test(name));
  expect(ROWS.map(({ name }) => name).sort()).toEqual(ofService.sort());
  expect(ROWS.filter(({ host }) => !['Node', 'Workers', 'both'].includes(host))).toEqual([]);
});

it.each(PAGES)('The defaults of settings on %s are those of the service', (page) => {
  for (const row of tableRows(textOf(page))) {
    const names = codesIn(row['Setting'] ?? row['Name'] ?? '');
    if (row['Default'] === undefined || !names.every((name) => name in SETTINGS.shape)) continue;
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
  // Workers have another one.
  if (name === 'ACCOUNT_MAX_BYTES') return '0';
  const value: unknown = SETTINGS.shape[name as keyof typeof SETTINGS.shape].parse(undefined);
  if (name === 'DATABASE_URL') return `file:${(value as { file: string }).file}`;
  return ['string', 'number'].includes(typeof value) && value !== 'off' ? `${value}` : 'unset';
}

const CONSTANTS: Readonly<Record<string, number>> = limits;

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

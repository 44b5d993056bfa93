// The tables of settings against the settings that the service reads: names in both directions,
// defaults, and the hosts that have them.

import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
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
  if (name === 'REQUEST_LOG') return 'unset';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unset';
}

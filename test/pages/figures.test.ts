// Figures in the pages that have a source in the project: the benchmark's goals,
// the sample records, the size of the client, the commands of the trials.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { SAMPLE_OWNER } from '../../src/core/domain/sample-records.js';
import { PAGES, ROOT, tableRows, textOf } from '../support/pages.js';
import { TRIALS } from '../trials/trials.js';

const WORDS = PAGES.map(textOf).join('\n');

/** The sources of the benchmark. */
const BENCH = readdirSync(join(ROOT, 'scripts/bench'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.js') && !name.includes('node_modules'))
  .map((name) => textOf(join('scripts/bench', name)))
  .join('\n');

describe('The table of speeds', () => {
  const rows = tableRows(textOf('scripts/bench/README.md')).filter((row) => row['Goal']);

  it.each(rows.map((row) => [row['Who'] ?? '', row] as const))('judges "%s" rightly', (_, row) => {
    const [, sign = '', limit = '', verdict] =
      /^([≥≤]) ([\d.]+) (\w+)$/.exec(row['Goal'] ?? '') ?? [];
    const figure = /^[\d.]+/.exec(row['Ours to it'] || row['Result'] || '')?.[0] ?? '';
    // A figure is rounded: where it is the limit to the digit, either may be right.
    const isReached =
      sign === '≥' ? Number(figure) >= Number(limit) : Number(figure) <= Number(limit);
    if (Number(figure) !== Number(limit)) expect(verdict).toBe(isReached ? 'reached' : 'missed');
  });

  it.each([...new Set(rows.map((row) => row['Goal']?.replace(/ \w+$/, '') ?? ''))])(
    'has the goal %s from the benchmark',
    (goal) => {
      const kind = goal.startsWith('≥') ? 'least' : 'most';
      expect(BENCH).toContain(`kind: '${kind}', limit: ${Number(goal.slice(2))} }`);
    },
  );
});

it('src/hosts/node/README.md names the account of the sample records', () => {
  const words = textOf('src/hosts/node/README.md');
  expect(/sample records of the account `([\w-]+)`/.exec(words)?.[1]).toBe(SAMPLE_OWNER);
});

it('The client page gives the size of the client, compressed', () => {
  const [, kilobytes] =
    /It is ([\d.]+) KB compressed/.exec(textOf('src/clients/client/README.md')) ?? [];
  const bundled = buildSync({
    entryPoints: [join(ROOT, 'src/client.ts')],
    bundle: true,
    minify: true,
    // As it is built.
    target: 'es2019',
    format: 'esm',
    write: false,
  });
  const bytes = gzipSync(bundled.outputFiles[0]?.contents ?? '').length;
  expect(kilobytes).toBe((bytes / 1000).toFixed(1));
});

it('Pages run trials and rows of the benchmark that exist', () => {
  const trials = TRIALS.map(({ name }) => name);
  const named = [...WORDS.matchAll(/npm run trust -- (?:--only [a-z]+ )?([a-z -]+[a-z])/g)].flatMap(
    ([, names = '']) => names.split(/ +/).filter((name) => !name.startsWith('-')),
  );
  expect(named.length).toBeGreaterThan(10);
  for (const name of named) expect(trials).toContain(name);
  const [, rows = ''] = /--rows ([\w,]+)/.exec(WORDS) ?? [];
  for (const row of rows.split(',')) expect(BENCH).toContain(`['${row}'`);
});

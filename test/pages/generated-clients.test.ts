// The table of generated clients against the results of `npm run trust -- generators`,
// whose copy lies beside the trial, and its versions against those that the trial takes.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sectionOf, tableRows, textOf } from '../support/pages.js';
import { type ClientResult, STEPS } from '../trials/generators/client-run.js';
import { CLIENTS } from '../trials/generators/clients.js';

const PAGE = 'src/clients/client/LANGUAGES.md';
const json = (name: string) =>
  JSON.parse(readFileSync(new URL(`../trials/generators/${name}`, import.meta.url), 'utf8'));
const RESULTS: Readonly<Record<string, ClientResult>> = json('results.json');
/** On the document before it was shaped for generators; without files where the generator refused it. */
interface Before {
  readonly files?: number;
  readonly lines?: number;
  readonly outcome: string;
}
const BEFORE: Readonly<Record<string, Before>> = json('before.json');
const NAMES = Object.keys(CLIENTS);

const rows = tableRows(sectionOf(PAGE, '## What was tried'));

describe('The table of generated clients', () => {
  it('has a row for each client of the trial, in its order', () => {
    expect(rows.map((row) => row['Client'])).toEqual(NAMES.map((name) => `\`${name}\``));
  });

  it.each(NAMES)('is true of %s', (name) => {
    const row = rows.find((candidate) => candidate['Client'] === `\`${name}\``) ?? {};
    const client = CLIENTS[name];
    expect(row['Language']).toBe(client?.language);
    expect(row['Generator']).toBe(`${client?.generator} ${client?.version}`);
    expect(row['OpenAPI']).toBe(client?.document);
    const result = RESULTS[name];
    expect(row['Files, lines']).toBe(sizeOf(result));
    expect(row['Before']).toBe(beforeOf(BEFORE[name]));
    expect(row['Result']).toBe(outcomeOf(result));
    expect(row['More properties']).toBe(result?.unknown ?? '');
    expect(row['A foreign value']).toBe(result?.foreign ?? '');
  });

  it('stands on results of the versions that the trial takes', () => {
    for (const [name, { generator, version }] of Object.entries(RESULTS)) {
      expect([generator, version]).toEqual([CLIENTS[name]?.generator, CLIENTS[name]?.version]);
    }
  });

  it('has a section on each language, with the version that was run', () => {
    const text = textOf(PAGE);
    for (const { version } of Object.values(CLIENTS)) expect(text).toContain(version);
  });
});

function sizeOf(size: { files: number; lines: number } | undefined): string {
  return size === undefined ? '' : `${size.files}, ${size.lines.toLocaleString('en-US')}`;
}

function beforeOf(before: Before | undefined): string {
  if (before === undefined) return '';
  const { files, lines, outcome } = before;
  return files === undefined ? outcome : `${sizeOf({ files, lines: lines ?? 0 })}; ${outcome}`;
}

function outcomeOf(result: ClientResult | undefined): string {
  if (result === undefined) return 'not run yet';
  if (result.compiles === undefined) return 'read; no compiler to be had';
  return result.compiles ? `${result.steps} of ${STEPS.length} steps` : 'does not compile';
}

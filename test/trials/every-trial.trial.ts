// Runs the chosen trials and prints a line for each finding. One that does not hold fails the trial;
// a trial that this machine cannot try at all is skipped.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { TRIALS } from './list.js';
import type { Finding, Size } from './trial.js';

const { TRIALS_FOLDER = '', TRIALS_ONLY: only = '', ...wanted } = process.env;
const size = (wanted['TRIALS_SIZE'] || 'usual') as Size;
const isSmall = size === 'small';
// `processes` measures only times.
const all = Object.keys(TRIALS).filter((name) => !isSmall || name !== 'processes');
const chosen = (wanted['TRIALS'] ?? '').split(',').filter((name) => name !== '');
const unknown = chosen.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  throw new Error(`no such trial: ${unknown.join(', ')}; there are ${all.join(', ')}`);
}
const counts = { holds: 0, FAILS: 0, 'not tried': 0 };
// Small ones mostly wait, so they run at once.
const each = isSmall ? it.concurrent : it;

for (const name of chosen.length === 0 ? all : all.filter((one) => chosen.includes(one))) {
  each(`${name} finds what is promised`, async ({ skip }) => {
    const folder = join(TRIALS_FOLDER, name);
    mkdirSync(folder);
    const say = (text: string) => {
      const seconds = Math.round(performance.now() / 1_000);
      process.stderr.write(`${String(seconds).padStart(4)} s  ${name}: ${text}\n`);
    };
    const trial = await TRIALS[name]?.();
    const findings = (await trial?.({ size, only, folder, say })) ?? [];
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    const verdicts = findings.map((finding) => print(name, finding));
    expect(findings.length, `${name} reports at least one finding`).toBeGreaterThan(0);
    expect(findings.filter(({ holds }) => holds === false)).toEqual([]);
    if (isSmall && verdicts.every((verdict) => verdict === 'not tried')) skip();
  });
}

afterAll(() => {
  const { holds, FAILS, 'not tried': notTried } = counts;
  process.stdout.write(`${holds} hold, ${FAILS} fail, ${notTried} not tried.\n`);
});

function print(name: string, { fault, tried, found, holds }: Finding) {
  const verdict = holds === undefined ? 'not tried' : holds ? 'holds' : 'FAILS';
  counts[verdict]++;
  process.stdout.write(`${verdict.padEnd(9)}  ${name}: ${fault}\n           ${tried}: ${found}\n`);
  return verdict;
}

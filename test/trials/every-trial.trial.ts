// Runs the chosen trials, one after the other, and prints a line for each finding. A finding that
// does not hold fails the trial.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { TRIALS } from './list.js';
import { type Finding, type Verdict, verdictOf } from './trial.js';

const { TRIALS_FOLDER = '', TRIALS_ONLY: only = '', ...wanted } = process.env;
const OPTIONS = { quick: Boolean(wanted['TRIALS_QUICK']), only };
const all = Object.keys(TRIALS);
const chosen = (wanted['TRIALS'] ?? '').split(',').filter((name) => name !== '');
const unknown = chosen.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  throw new Error(`no such trial: ${unknown.join(', ')}; there are ${all.join(', ')}`);
}
const counts: Record<Verdict, number> = { holds: 0, FAILS: 0, 'not tried': 0 };

for (const name of all.filter((name) => chosen.length === 0 || chosen.includes(name))) {
  it(name, async () => {
    const folder = join(TRIALS_FOLDER, name);
    mkdirSync(folder);
    const say = (text: string) => {
      const seconds = Math.round(performance.now() / 1_000);
      process.stderr.write(`${String(seconds).padStart(4)} s  ${name}: ${text}\n`);
    };
    const trial = await TRIALS[name]?.();
    const findings = (await trial?.({ ...OPTIONS, folder, say })) ?? [];
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    const failed = findings.filter((finding) => print(name, finding) === 'FAILS');
    expect(failed, `${name}: ${failed.length} findings do not hold`).toEqual([]);
    expect(findings.length, `${name} reports at least one finding`).toBeGreaterThan(0);
  });
}

afterAll(() => {
  const { holds, FAILS, 'not tried': notTried } = counts;
  process.stdout.write(`${holds} hold, ${FAILS} fail, ${notTried} not tried.\n`);
});

function print(name: string, finding: Finding): Verdict {
  const verdict = verdictOf(finding);
  counts[verdict]++;
  const { fault, tried, found } = finding;
  process.stdout.write(`${verdict.padEnd(9)}  ${name}: ${fault}\n           ${tried}: ${found}\n`);
  return verdict;
}

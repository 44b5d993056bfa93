// Runs the chosen trials, one after the other. Every finding becomes an annotation
// of its trial, for the reporter; a finding that does not hold fails the trial.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chosenNames } from './selection.js';
import { verdictOf } from './trial.js';
import { TRIALS } from './trials.js';

const { TRIALS_FOLDER = '', TRIALS_ONLY = '', TRIALS_SEEDS = '', ...wanted } = process.env;
const minutes = Number(wanted['TRIALS_MINUTES'] ?? '');
const OPTIONS = {
  quick: Boolean(wanted['TRIALS_QUICK']),
  long: Boolean(wanted['TRIALS_LONG']),
  only: TRIALS_ONLY,
  minutes: minutes > 0 ? minutes : undefined,
  seeds: TRIALS_SEEDS.match(/\d+/g)?.map(Number),
};
const chosen = chosenNames();

for (const { name, load } of TRIALS.filter((trial) => chosen.includes(trial.name))) {
  it(name, async ({ annotate }) => {
    const folder = join(TRIALS_FOLDER, name);
    mkdirSync(folder);
    const trial = await load();
    const say = (text: string) => void annotate(text, 'progress');
    const findings = await trial({ ...OPTIONS, folder, say });
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    for (const finding of findings) {
      const { fault, tried, found } = finding;
      await annotate(`${fault}\n           ${tried}: ${found}`, verdictOf(finding));
    }
    // After the annotations: a test that has failed takes no more of them.
    const failed = findings.filter((finding) => verdictOf(finding) === 'FAILS');
    expect(failed, `${name}: ${failed.length} findings do not hold`).toEqual([]);
    expect(findings.length, `${name} reports at least one finding`).toBeGreaterThan(0);
  });
}

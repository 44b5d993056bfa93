// Runs the chosen trials, one after the other. Every finding becomes an annotation
// of its trial, for the reporter; a finding that does not hold fails the trial.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  chosenNames,
  isLong,
  isQuick,
  wantedMinutes,
  wantedPart,
  wantedSeeds,
} from './selection.js';
import { verdictOf } from './trial.js';
import { TRIALS } from './trials.js';

const folder = process.env['TRIALS_FOLDER'] ?? '';

const chosen = chosenNames();

for (const { name, load } of TRIALS.filter((trial) => chosen.includes(trial.name))) {
  it(name, async ({ annotate }) => {
    const own = join(folder, name);
    mkdirSync(own);
    const trial = await load();
    const say = (text: string) => void annotate(text, 'progress');
    const [quick, long, only] = [isQuick(), isLong(), wantedPart()];
    const [minutes, seeds] = [wantedMinutes(), wantedSeeds()];
    const findings = await trial({ quick, long, only, minutes, seeds, folder: own, say });
    rmSync(own, { recursive: true, force: true, maxRetries: 10 });
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

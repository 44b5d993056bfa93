// Measures the processor time of each test file, for the table of `npm test -- --times`.

import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';

/** /proc/self/stat counts ticks of this process and of its children that have ended. */
const TICKS_A_SECOND = 100;
const FIRST_TIME_FIELD = 11;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const output = process.env['TEST_TIMES'];

// Only Linux has these counts.
if (output && process.platform === 'linux') {
  const before = secondsOfProcess();
  const startedAt = performance.now();
  afterAll(() => {
    const [own = 0, children = 0] = secondsOfProcess().map((now, i) => now - (before[i] ?? 0));
    const file = relative(ROOT, expect.getState().testPath ?? '');
    const wall = (performance.now() - startedAt) / 1000;
    appendFileSync(output, `${JSON.stringify({ file, own, children, wall })}\n`);
  });
}

/** Seconds of this process with its threads, and of its children. */
function secondsOfProcess(): readonly [number, number] {
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = readFileSync(
    '/proc/self/stat',
    'utf8',
  )
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(FIRST_TIME_FIELD, FIRST_TIME_FIELD + 4)
    .map((ticks) => Number(ticks) / TICKS_A_SECOND);
  return [user + system, childUser + childSystem];
}

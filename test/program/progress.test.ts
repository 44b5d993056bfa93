// The progress of a command, by a clock of the test's own.

import { expect, it } from 'vitest';
import type { CommandDependencies } from '../../src/tools/program/command-dependencies.js';
import { startProgress } from '../../src/tools/program/progress.js';

it.each([true, false])(
  'Progress is a line on a terminal (%s), and told to a program',
  (isTerminal) => {
    let [text, time] = ['', 0];
    const told: unknown[] = [];
    const dependencies = {
      err: (more: string) => {
        text += more;
      },
      progressed: (...event: unknown[]) => void told.push(event),
      isTerminal,
      now: () => time,
    } as unknown as CommandDependencies;
    const options = { event: 'import_progress', noun: 'rows', total: 40, done: 10 };
    const progress = startProgress(dependencies, options);
    time = 50;
    progress.add();
    time = 2_000;
    progress.add(9);
    progress.add(20);
    progress.stop();
    const lines = ['', '25%, 10 of 40 rows', '50%, 20 of 40 rows', '100%, 40 of 40 rows\n'];
    expect(text.split('\r\u001b[K')).toEqual(isTerminal ? lines : ['']);
    expect(told).toEqual([11, 20, 40].map((done) => ['import_progress', done, 40]));
  },
);

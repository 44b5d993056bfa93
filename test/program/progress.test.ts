// The progress of a command.

import { expect, it } from 'vitest';
import { type Call, startProgress } from '../../src/tools/program/command.js';

it.each([true, false])(
  'Progress is a line on a terminal (%s), and told to a program',
  (isTerminal) => {
    const [texts, told]: [string[], unknown[]] = [[], []];
    const err = (text: string) => texts.push(text);
    const progressed = (...event: unknown[]) => told.push(event);
    const dependencies = { err, progressed, isTerminal } as unknown as Call;
    const options = { event: 'import_progress', noun: 'rows', total: 40, done: 10 };
    const progress = startProgress(dependencies, options);
    progress.add();
    progress.add(29);
    progress.stop();
    expect(texts).toEqual(isTerminal ? ['\r11 of 40 rows', '\r40 of 40 rows', '\n'] : []);
    expect(told).toEqual([11, 40].map((done) => ['import_progress', done, 40]));
  },
);

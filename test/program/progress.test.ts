// The progress of a command, by a clock of the test's own.

import { expect, it } from 'vitest';
import type { CommandDependencies } from '../../src/tools/program/command-dependencies.js';
import { startProgress } from '../../src/tools/program/progress.js';

function shown(isTerminal: boolean) {
  const seen = { text: '', told: [] as unknown[] };
  let time = 0;
  const dependencies: CommandDependencies = {
    environment: {},
    out() {},
    err: (text) => {
      seen.text += text;
    },
    progressed: (...event) => void seen.told.push(event),
    isTerminal,
    interrupted: new AbortController().signal,
    now: () => time,
    randomBytes: () => new Uint8Array(),
    version: '',
  };
  const options = { event: 'import_progress', noun: 'rows', total: 40, done: 10 };
  const progress = startProgress(dependencies, options);
  time = 50;
  progress.add();
  time = 2_000;
  progress.add(9);
  progress.add(20);
  progress.stop();
  return seen;
}

it('is one line on a terminal, drawn afresh, with rate and remaining time', () => {
  expect(shown(true).text.split('\r\u001b[K')).toEqual([
    '',
    '25%, 10 of 40 rows, 0 a second',
    '50%, 20 of 40 rows, 5 a second, 4 s left',
    '100%, 40 of 40 rows, 15 a second, 0 s left\n',
  ]);
});

it('is not shown elsewhere, and told to a program that shows it itself', () => {
  expect(shown(false)).toEqual({
    text: '',
    told: [11, 20, 40].map((done) => ['import_progress', done, 40]),
  });
});

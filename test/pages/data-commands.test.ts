// The page on data against the help texts of its commands: options and exit codes.

import { expect, it } from 'vitest';
import { ERASE_HELP, EXPORT_HELP, HELP, IMPORT_HELP } from '../../src/data/help.js';
import { constantOf, textOf } from '../support/pages.js';

it('Options that the page on data names, and those that the commands take, are in a help text', () => {
  const help = [HELP, IMPORT_HELP, EXPORT_HELP, ERASE_HELP].join('\n');
  const explained = [...help.matchAll(/--([a-z-]+)\b/g)].map(([, name]) => name);
  const page = textOf('src/data/README.md').replaceAll(' -- ', ' ');
  const shown = [...page.matchAll(/(?<=[\s`])--([a-z-]+)\b/g)].map(([, name]) => name);
  const taken = ['src/data/command-line.ts', 'src/program/arguments.ts'].flatMap((file) =>
    [...textOf(file).matchAll(/^ {2,4}'?([a-z-]+)'?: \{ type: /gm)].map(([, name]) => name),
  );
  expect(taken.length).toBeGreaterThan(10);
  expect([...shown, ...taken].filter((name) => !explained.includes(name))).toEqual([]);
  expect(explained.filter((name) => !taken.includes(name))).toEqual([]);
});

it('The page and the help text of the data commands give the same exit codes', () => {
  const ending = 'src/program/ending.ts';
  const codes = ['EXIT_DONE', 'EXIT_FAILED', 'EXIT_WRONG_USE', 'EXIT_INTERRUPTED'].map((name) =>
    constantOf(ending, name),
  );
  for (const text of [textOf('src/data/README.md'), HELP]) {
    const [line = ''] = /^Exit codes:.*$/m.exec(text) ?? [];
    expect(
      line
        .replace(/\([^)]*\)/g, '')
        .match(/\d+/g)
        ?.map(Number),
    ).toEqual(codes);
  }
});

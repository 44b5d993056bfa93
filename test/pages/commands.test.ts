// The pages against the operator's commands: their list, options and exit codes.

import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/tools/manage/manage.js';
import { codesIn, constantOf, sectionOf, tableRows, textOf } from '../support/pages.js';

const OPERATIONS = 'src/hosts/operations/README.md';
const DATA = 'src/tools/data/README.md';

it('The page of operations has a row of each command', () => {
  const rows = tableRows(sectionOf(OPERATIONS, '### The commands'));
  const named = rows.flatMap((row) => codesIn(row['Command'] ?? ''));
  expect(named.sort()).toEqual(Object.keys(COMMANDS).sort());
});

it('Options that the page on data names are options of its commands', async () => {
  const commands = await Promise.all(
    ['import', 'export', 'erase', 'dump', 'load'].map((name) => COMMANDS[name]?.load()),
  );
  const help = commands.map((command) => command?.help).join('\n');
  const taken = new Set([...help.matchAll(/--([a-z-]+)\b/g)].map(([, name]) => name));
  const page = textOf(DATA).replaceAll(' -- ', ' ');
  const shown = [...page.matchAll(/(?<=[\s`])--([a-z-]+)\b/g)].map(([, name]) => name);
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.filter((name) => !taken.has(name))).toEqual([]);
});

it.each([OPERATIONS, DATA])('The exit codes on %s are those of the commands', (page) => {
  const codes = ['EXIT_DONE', 'EXIT_FAILED', 'EXIT_WRONG_USE', 'EXIT_INTERRUPTED'].map((name) =>
    constantOf('src/tools/program/ending.ts', name),
  );
  const [line = ''] = /^Exit codes:.*?Ctrl-C/m.exec(textOf(page)) ?? [];
  const numbers = line.replace(/\([^)]*\)/g, '').match(/\d+/g);
  expect(numbers?.map(Number)).toEqual(codes);
});

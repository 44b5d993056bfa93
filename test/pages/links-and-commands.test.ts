// The links, files and commands of every page exist.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/tools/manage/manage.js';
import { EXIT } from '../../src/tools/program/command.js';
import { runManage } from '../support/manage.js';
import { anchorsOf, codesIn, PAGES, ROOT, sectionOf, tableRows, textOf } from '../support/pages.js';

/** npm's own commands that pages mention. */
const NPM_COMMANDS = ['audit', 'ci', 'install', 'pack', 'run'];
const OPERATIONS = 'src/hosts/operations/RUNNING.md';
const DATA = 'src/tools/data/README.md';
const PACKAGE = JSON.parse(textOf('package.json'));
const SCRIPTS: readonly string[] = Object.keys(PACKAGE.scripts);
const proseOf = (page: string) => textOf(page).replace(/```[\s\S]*?```/g, '');
/** The targets of a page's links into the project, as file and anchor. */
const linksIn = (page: string) => {
  const found = proseOf(page).matchAll(/\]\((?!https:)([^)#]*)#?([^)]*)\)/g);
  const fileOf = (path: string) => (path === '' ? page : join(dirname(page), path));
  return [...found].map(([, path = '', anchor = '']) => ({ file: fileOf(path), anchor }));
};

it.each(PAGES)('%s mentions links, files and commands that exist', (page) => {
  for (const { file, anchor } of linksIn(page)) {
    expect([...PAGES, ...PACKAGE.files], `${page} links to ${file}`).toContain(file);
    if (anchor !== '') expect(anchorsOf(textOf(file)), `${page}: ${file}`).toContain(anchor);
  }
  for (const name of codesIn(proseOf(page))) {
    if (!/^(src|test|scripts)\//.test(name) || /[\s{*<]/.test(name)) continue;
    const candidates = [name, `${name}.ts`, `${name}.test.ts`, `${name}.js`];
    const exists = candidates.some((file) => existsSync(join(ROOT, file)));
    expect(exists, `${page} names ${name}`).toBe(true);
  }
  const named = textOf(page).matchAll(/\bnpm (\w+)(?: ([\w:-]+))?/g);
  for (const [command, name = '', script] of named) {
    const known = name === 'run' ? SCRIPTS : [...SCRIPTS, ...NPM_COMMANDS];
    expect(known, `${page} says "${command}"`).toContain(name === 'run' ? script : name);
  }
});

it('The table of rules names files and tests that exist', () => {
  const rows = tableRows(sectionOf('src/README.md', '## Where is each rule?'));
  const named = rows.flatMap(({ File = '', Test = '' }) => [
    ...codesIn(File).map((file) => join('src', file)),
    ...codesIn(Test).map((test) => join('test', `${test}.test.ts`)),
  ]);
  expect(named).toContain('src/core/records/writer.ts');
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

it('The pages mention every command of package.json', () => {
  const words = PAGES.map(textOf).join('\n');
  const missing = SCRIPTS.filter((name) => !new RegExp(`npm (run )?${name}\\b`).test(words));
  const own = missing.filter((name) => !/^(pre|post)/.test(name));
  expect(own, 'commands that no page explains').toEqual([]);
});

it('All pages are reachable from the front page by links', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) {
    for (const { file } of linksIn(page)) if (PAGES.includes(file)) reached.add(file);
  }
  expect([...reached].sort()).toEqual([...PAGES].sort());
});

it('The operations page has a row for each command', () => {
  const rows = tableRows(sectionOf(OPERATIONS, '## The commands'));
  const named = rows.flatMap((row) => codesIn(row['Command'] ?? ''));
  expect(named.sort()).toEqual(Object.keys(COMMANDS).sort());
});

it('Options that the data page mentions are options of its commands', async () => {
  let help = '';
  for (const name of ['import', 'export', 'erase', 'dump', 'load']) {
    help += (await runManage([name, '--help'], {})).stdout;
  }
  const page = textOf(DATA).replaceAll(' -- ', ' ');
  const shown = [...page.matchAll(/(?<=[\s`])--([a-z-]+)\b/g)].map(([option]) => option);
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.filter((option) => !help.includes(option))).toEqual([]);
});

it.each([OPERATIONS, DATA])('The exit codes on %s are those of the commands', (page) => {
  const [line = ''] = /^Exit codes:.*?Ctrl-C/m.exec(textOf(page)) ?? [];
  expect(line.replace(/\([^)]*\)/g, '').match(/\d+/g)).toEqual(Object.values(EXIT).map(String));
});

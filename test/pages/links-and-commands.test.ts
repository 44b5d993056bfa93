// Every page leads where it says: its links, its files and its commands exist.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, codesIn, PAGES, ROOT, textOf } from '../support/pages.js';

const FRONT_PAGE = 'README.md';
/** npm's own commands that pages name. */
const NPM_COMMANDS = ['audit', 'ci', 'install', 'pack', 'run', 'sbom'];
const FOLDERS = /^(src|test|scripts|dist)\//;

const PACKAGE = JSON.parse(textOf('package.json'));
const SCRIPTS: readonly string[] = Object.keys(PACKAGE.scripts);

describe.each(PAGES)('%s', (page) => {
  const text = textOf(page);
  const prose = text.replace(/```[\s\S]*?```/g, '');

  it('has links that lead somewhere', () => {
    for (const [, target = ''] of prose.matchAll(/\]\(([^)]+)\)/g)) {
      if (target.startsWith('https://')) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      expect(existsSync(join(ROOT, file)), `${page} links to ${file}`).toBe(true);
      if (anchor === undefined) continue;
      expect(anchorsOf(textOf(file)), `${page} links to ${target}`).toContain(anchor);
    }
  });

  it('names files that exist', () => {
    const [, table = ''] = /^src\/\n([\s\S]*?)```/m.exec(text) ?? [];
    const drawn = [...table.matchAll(/^ {2}(\w+)\/ /gm)].map(([, folder]) => `src/${folder}`);
    const entries = table.match(/^ {2}[\w.-]+\.ts.*$/gm)?.join(' ') ?? '';
    for (const [name] of entries.matchAll(/[\w-]+\.ts/g)) drawn.push(`src/${name}`);
    const named = codesIn(prose).filter((code) => FOLDERS.test(code) && !/[\s{*<]/.test(code));
    for (const name of [...drawn, ...named]) {
      // dist/server.js and its like are built from an entry at the top of src.
      const source = name
        .replace(/^dist\/([\w-]+)\.js$/, 'src/$1.ts')
        .replace(/^dist\/types\/([\w/-]+)\.d\.ts$/, 'src/$1.ts');
      const candidates = [name, source, `${name}.ts`, `${name}.test.ts`, `${name}.js`];
      // These checks run before the first build.
      const isBuilt = /^dist\/(\.built|openapi(-3\.0)?\.json|THIRD-PARTY-NOTICES\.txt)?$/.test(
        name,
      );
      expect(
        isBuilt || candidates.some((file) => existsSync(join(ROOT, file))),
        `${page} names ${name}`,
      ).toBe(true);
    }
  });

  it('names commands that exist', () => {
    for (const [command, name = '', script] of text.matchAll(/\bnpm (\w+)(?: ([\w:-]+))?/g)) {
      const wanted = name === 'run' ? script : name;
      const known = name === 'run' ? SCRIPTS : [...SCRIPTS, ...NPM_COMMANDS];
      expect(known, `${page} says "${command}"`).toContain(wanted);
    }
  });
});

describe('The pages', () => {
  const words = PAGES.map(textOf).join('\n');

  it('name every command of package.json', () => {
    const own = SCRIPTS.filter((name) => !/^(pre|post)/.test(name));
    const commands = own.map((name) =>
      ['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`,
    );
    const missing = commands.filter((command) => !words.includes(command));
    expect(missing, 'commands that no page explains').toEqual([]);
  });

  it('are all reached from the front page, by links', () => {
    const reached = new Set([FRONT_PAGE]);
    for (const page of reached) {
      for (const [, target = ''] of textOf(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
        const path = join(dirname(page), target);
        if (target.startsWith('https://') || !existsSync(join(ROOT, path))) continue;
        const file = statSync(join(ROOT, path)).isDirectory() ? join(path, 'README.md') : path;
        if (PAGES.includes(file)) reached.add(file);
      }
    }
    expect([...reached].sort()).toEqual([...PAGES].sort());
  });

  it('link to pages and to a picture alone, and the package ships all of them', () => {
    const links = [...words.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target = '']) => target);
    const others = links.filter(
      (link) =>
        !link.startsWith('https://') && !link.endsWith('.md') && !PACKAGE.files.includes(link),
    );
    expect(others, 'the package ships no file that these lead to').toEqual([]);
    expect(PACKAGE.files).toEqual(
      expect.arrayContaining(['README.md', '{scripts,src,test}/**/*.md']),
    );
  });

  it('show every folder of src in the front page’s layout', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const shown = [...textOf(FRONT_PAGE).matchAll(/^ {2}(\w+)\/ /gm)].map(([, name]) => name);
    const missing = folders.filter((name) => !shown.includes(name));
    expect(missing, `add these folders to the layout of ${FRONT_PAGE}`).toEqual([]);
  });
});

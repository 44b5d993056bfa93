// The client's own package, installed as a user would.

import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { NAMES, packClient } from '../../scripts/pack-client.js';
import { anchorsOf, pageCode, ROOT } from '../support/pages.js';
import { testFolder } from '../support/test-folder.js';

const folder = testFolder(beforeAll);
const run = async (command: string, ...args: string[]) =>
  (await promisify(execFile)(command, args, { cwd: folder.path })).stdout.trim();
const { at } = folder;

beforeAll(async () => {
  const archive = await packClient(folder.path);
  await writeFile(at('package.json'), '{ "type": "module" }');
  await run('npm', 'install', '--offline', '--no-audit', '--no-fund', archive);
});

it('The client’s package can be imported and required, types included', async () => {
  const typed = pageCode('src/clients/client/README.md', '### Your own properties', 'ts');
  const renamed = NAMES.reduce((text, [name, packed]) => text.replaceAll(name, packed), typed);
  await writeFile(at('typed.ts'), renamed);
  const imported = `import { ApiError } from 'service-management-client';
import { createOperatorClient } from 'service-management-client/operator';
globalThis.console.log(typeof ApiError, typeof createOperatorClient);`;
  await writeFile(at('imported.mts'), imported);
  const required = `import api = require('service-management-client');
import operator = require('service-management-client/operator');
const error: unknown = new api.ApiError('NO_TOKEN', '');
globalThis.console.log(error instanceof api.ApiError && error instanceof operator.ApiError);`;
  await writeFile(at('required.cts'), required);
  const options = '--strict --target ES2022 --lib ES2022,DOM --module Node16'.split(' ');
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, tsc, ...options, 'typed.ts', 'imported.mts', 'required.cts');
  expect(await run(process.execPath, 'imported.mjs')).toBe('function function');
  expect(await run(process.execPath, 'required.cjs')).toBe('true');
});

it('A bundler that does not know `exports` finds both clients of the package', async () => {
  // Node resolves a path as such a bundler resolves a name: by `main`, and `/operator` as a folder.
  const names = ['service-management-client', 'service-management-client/operator'];
  const loaded = names.map((name) => `Object.keys(require('./node_modules/${name}'))`);
  await writeFile(at('older.cjs'), `globalThis.console.log([${loaded}].join());`);
  const found = await run(process.execPath, 'older.cjs');
  expect(found.split(',')).toEqual(
    expect.arrayContaining(['createClient', 'createOperatorClient']),
  );
});

it('The client’s package has no dependencies, less than 0.2 MB, its pages, and no links to files outside', async () => {
  const names = readdirSync(at('node_modules')).filter((name) => !name.startsWith('.'));
  expect(names).toEqual(['service-management-client']);
  const packed = at('node_modules/service-management-client');
  const files = readdirSync(packed, { recursive: true, encoding: 'utf8' });
  const sizes = files.map((name) => statSync(join(packed, name)).size);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(200_000);
  const pages = readdirSync(packed).filter((name) => name.endsWith('.md'));
  expect(pages).toEqual(['API.md', 'CHANGELOG.md', 'README.md']);
  for (const page of pages) {
    const text = await readFile(join(packed, page), 'utf8');
    for (const [name] of NAMES) expect(text, page).not.toContain(name);
    const links = text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g);
    for (const [link, target = '', anchor] of links) {
      const linked = target === '' ? text : await readFile(join(packed, target), 'utf8');
      if (anchor !== undefined) expect(anchorsOf(linked), `${page}: ${link}`).toContain(anchor);
    }
  }
});

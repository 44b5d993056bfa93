// `npm run mutants` knows the tests of every folder of the sources.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testsOf } from '../../scripts/mutants/rooms.js';
import { ROOT } from '../support/pages.js';

const FOLDERS = ['core', 'storage', 'hosts', 'clients', 'tools'].flatMap((layer) =>
  readdirSync(join(ROOT, 'src', layer), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/${layer}/${name}`),
);

it.each(FOLDERS)('%s has its tests', (folder) => {
  const tests = readdirSync(join(ROOT, testsOf(folder)), { recursive: true, encoding: 'utf8' });
  expect(tests.some((name) => name.endsWith('.test.ts'))).toBe(true);
});

it.each([
  ['src/core/http/path.ts:60-95', 'test/http/'],
  ['src/storage/move', 'test/storage/move/'],
  ['src/storage/file/connection.ts', 'test/storage/file/'],
  ['src/tools/move', 'test/move/'],
  ['src/hosts/workers/copies', 'test/worker/'],
  ['src/storage', 'test/storage/'],
])('the tests of %s are %s', (path, tests) => {
  expect(testsOf(path)).toBe(tests);
});

it('a file that no folder of tests belongs to is refused', () => {
  expect(() => testsOf('src/handler.ts')).toThrow('name one with --tests');
});

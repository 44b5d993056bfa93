// Test files share a worker, and with it every loaded module (test/vitest.config.ts).
// These tests refuse code that would make one file depend on the files before it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILES = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
  .map((name) => ({ name: `test/${name}`, text: readFileSync(join(ROOT, 'test', name), 'utf8') }));
const CONFIG = readFileSync(join(ROOT, 'test/vitest.config.ts'), 'utf8');
const HAS_TESTS = /\.(test|small|trial)\.ts$/;

it('A file that replaces a module runs in its own worker', () => {
  const replacing = FILES.filter(({ text }) => /^vi\.mock\(/m.test(text));
  expect(replacing.length).toBeGreaterThan(0);
  for (const { name } of replacing) {
    expect(CONFIG, `${name} calls vi.mock; add it to ALONE in test/vitest.config.ts`).toContain(
      `'${name}'`,
    );
  }
});

it('A hook is registered in a test file, or in a function that a test file calls', () => {
  // At the top of a shared module, a hook would run for the first file alone that loads it.
  const hooks = FILES.filter(
    ({ name, text }) =>
      !HAS_TESTS.test(name) &&
      /^(before|after)(All|Each)\(/m.test(text) &&
      !/^describe/m.test(text),
  );
  expect(hooks.map(({ name }) => name)).toEqual([]);
});

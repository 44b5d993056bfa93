// What runs is what was tested: dist/handler.js alone holds the core, and every entry imports it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.js';
import { readDeployment } from '../../scripts/worker/deployment.js';

const DIST = join(root, 'dist');
const CORE = /src\/core\/(admission|domain|http|identity|records)\//;
/** Files for browsers and apps: the clients' own error codes and property names. */
const OWN_NEEDS = /^(?:cjs\/)?(?:client|operator-client)(?:-shared.*)?\.js$/;

const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
const read = (name: string) => readFileSync(join(DIST, name), 'utf8');

it('Only handler.js of the built files contains the core', () => {
  const maps = files.filter((name) => name.endsWith('.js.map'));
  const withCore = maps.filter((name) => {
    const { sources }: { sources: string[] } = JSON.parse(read(name));
    return sources.some((source) => CORE.test(source));
  });
  const holders = withCore.map((name) => name.slice(0, -'.map'.length));
  expect(holders.filter((name) => !OWN_NEEDS.test(name))).toEqual(['handler.js']);
});

it('The Worker needs only worker.js and handler.js, which wrangler.toml uploads unchanged', () => {
  const imports = [...read('worker.js').matchAll(/from "([^"]+)"/g)].map(([, name]) => name);
  expect(new Set(imports)).toEqual(new Set(['./handler.js', 'cloudflare:workers']));
  expect(read('handler.js')).not.toMatch(/\bfrom "\.\//);
  const { entry, noBundle, modules } = readDeployment();
  expect([entry, noBundle, modules]).toEqual(['dist/worker.js', true, ['dist/handler.js']]);
});

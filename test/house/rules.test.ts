// House rules, which keep the code readable and every layer in its place.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import { expect, it } from 'vitest';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import { COLLECTIONS } from '../../src/core/domain/collections.js';
import { COLLECTION_TABLE, ROUTES } from '../support/collection-table.js';
import { OPERATIONS } from '../support/openapi-document.js';
import { ROOT } from '../support/pages.js';

const FILE_MAX_LINES = 300;

const STATIC = /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'/gm;
/** Imports that are loaded on demand. */
const DYNAMIC = /\bimport\(\s*'([^']+)'/g;

const SOURCES = sourcesIn('src');
const TESTS = sourcesIn('test');
const ALL = [...SOURCES, ...TESTS, ...sourcesIn('scripts')];

/** The operator's client as published, its parts such as iterating over all pages, and how a command is called. */
const OPERATORS_CLIENT = ['operator-client', 'clients/client', 'tools/program'];

/**
 * A layer, and the other layers that it may import; `core/` means all of core. Imports point
 * inward, to `core/domain`; HTTP and storage never meet; hosts put layers together, and nothing but
 * an entry imports a tool.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  'core/domain': [],
  'core/admission': ['core/domain', 'core'],
  'core/records': ['core/domain', 'core', 'core/admission'],
  'core/identity': ['core/domain', 'core', 'core/admission'],
  'core/http': ['core/'],
  storage: ['core/domain', 'core', 'core/records'],
  'storage/erasures': ['core/domain', 'core', 'storage'],
  hosts: ['core/', 'hosts/settings', 'handler'],
  'hosts/settings': ['core/domain', 'core/identity', 'hosts'],
  'hosts/operations': ['core/domain', 'core', 'core/records'],
  'hosts/node': ['core/', 'storage/', 'hosts/', 'handler', 'libsql'],
  'hosts/postgres': ['core/', 'storage/', 'hosts/', 'handler'],
  'hosts/workers': ['core/', 'storage/', 'hosts/', 'handler'],
  'clients/client': ['core', 'core/domain'],
  // At build time: the examples are the handler's responses over an in-memory storage.
  'clients/openapi': ['core/', 'handler', 'memory'],
  'tools/program': ['hosts/settings'],
  'tools/data': ['core/domain', 'core', 'hosts/', 'storage/', ...OPERATORS_CLIENT],
  'tools/dump': ['core', 'core/domain', 'core/records', 'storage/', 'tools/', 'operator-client'],
  'tools/console': ['core/domain', 'core', 'hosts/', 'tools/data', ...OPERATORS_CLIENT],
  'tools/manage': ['core/domain', 'storage/', 'hosts/', 'tools/'],
  preview: ['core/', 'hosts/', 'tools/console', 'handler'],
  // The entries, one for each file of dist/.
  handler: ['core/'],
  libsql: ['core/records', 'storage/'],
  memory: ['core/identity', 'core/records', 'storage/'],
  'storage-conformance': ['core/records', 'storage/'],
  client: ['clients/client', 'core/domain'],
  'operator-client': ['clients/client', 'core/domain'],
  server: ['tools/'],
  manage: ['tools/'],
  worker: ['hosts/workers'],
};

/** Where Node's own modules may be used. */
const NODE_LAYERS = /^(?:storage|hosts\/(?:node|postgres)|tools|preview|libsql|server|manage)\b/;

/** Where a host's clock, environment and console may be used. */
const HOST_LAYERS = new RegExp(`${NODE_LAYERS.source}|^hosts/(?:operations|workers)$`);

/** The packages that each layer may use; `hono` routes requests. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'core/identity': ['jose'],
  'core/http': ['hono'],
  handler: ['hono'],
  storage: ['libsql', 'pg'],
  'hosts/node': ['@hono/node-server'],
  'hosts/settings': ['leven'],
  'hosts/workers': ['cloudflare:workers', '@cloudflare/workers-types', 'hono'],
  'tools/data': ['@e965/xlsx', 'csv-parse', 'csv-stringify', 'fflate'],
  'tools/dump': ['pg'],
  'tools/manage': ['@commander-js/extra-typings', 'csv-stringify'],
  'tools/program': ['@commander-js/extra-typings'],
  'tools/console': ['hono', '@hono/node-server'],
  preview: ['@hono/node-server'],
};

it.each(SOURCES)('$path imports only what its layer may', ({ path, imports }) => {
  const layer = layerOf(path);
  const allowed = LAYERS[layer];
  expect(allowed, `${path} is in no known layer: one of ${Object.keys(LAYERS)}`).toBeDefined();
  const own = [layer, ...(allowed ?? [])];
  const isAllowed = (target: string) => {
    const reached = target.startsWith('src/') && `${layerOf(target)}/`;
    if (reached)
      return own.some(
        (name) => reached === `${name}/` || (name.endsWith('/') && reached.startsWith(name)),
      );
    if (target.startsWith('node:')) return NODE_LAYERS.test(layer);
    return PACKAGES[layer]?.includes(target);
  };
  const others = imports.filter((target) => !isAllowed(target));
  expect(others, 'pass what it needs as a parameter').toEqual([]);
});

it('Preview and console stay out of server, handler and Workers', () => {
  const entries = ['src/server.ts', 'src/handler.ts', 'src/worker.ts'];
  const reached = entries.flatMap((entry) => [...reachableFrom(entry)]);
  const forPeople = /^src\/(preview|tools\/console)\/|local-tokens/;
  expect(reached.filter((path) => forPeople.test(path))).toEqual([]);
});

it.each(ALL)('$path keeps the house style', ({ path, text }) => {
  const lines = text.split('\n');
  const isMade = path === 'src/core/domain/api-schema.ts';
  if (!isMade)
    expect(lines.length, 'long: is it one thing?').toBeLessThanOrEqual(FILE_MAX_LINES + 1);
  expect(lines[0], 'the first line says what the file is for').toMatch(/^(\/\/ |#!)/);
  expect(path, 'a name says what is inside').not.toMatch(
    /utils?\b|helpers?\b|misc|common|\bindex\.ts|\btypes\.ts/,
  );
  const leftovers = `@ts-(ignore|expect-error)|\\.(only|skip)\\(|TO${'DO'}|FIX${'ME'}`;
  expect(text, 'no leftovers').not.toMatch(new RegExp(leftovers));
  expect(text, 'use fileURLToPath: a path has spaces').not.toMatch(/meta\.url\)\.pathname/);
});

it('Files of src take settings, log, time and randomness as parameters', () => {
  // Each is named once, as the default of an option.
  const defaults =
    /^src\/(handler|memory|core\/(admission\/fair-scheduler|records\/memory-store|identity\/sign-in))\.ts$/;
  for (const { path, text } of SOURCES) {
    if (HOST_LAYERS.test(layerOf(path))) continue;
    expect(text, path).not.toMatch(/\bprocess\.\w|\bconsole\.\w/);
    if (defaults.test(path)) continue;
    expect(text, path).not.toMatch(/Date\.now|new Date\(\)|Math\.random|getRandomValues/);
  }
});

it('Shared test files register no hook, which would run for the first test file only', () => {
  // Test files share a worker, and with it every loaded module (test/vitest.config.ts).
  const shared = TESTS.filter(({ path }) => !/\.(test|trial)\.ts$/.test(path));
  const hooks = shared.filter(({ text }) => /^(before|after)(All|Each)\(/m.test(text));
  expect(hooks.filter(({ text }) => !/^describe/m.test(text)).map(({ path }) => path)).toEqual([]);
});

// The tests have their own copy of the contract's tables, so the service isn't compared with itself.
it('The tests’ tables have every collection with its rules and every operation, and no other', () => {
  expect(COLLECTION_TABLE.map(({ name }) => name)).toEqual([...COLLECTION_NAMES]);
  for (const row of COLLECTION_TABLE) {
    const { idPrefix, idDigitsMin, properties, defaults } = COLLECTIONS[row.name];
    const required = properties.filter(({ rule }) => rule).map(({ name }) => name);
    expect(row).toMatchObject({ idPrefix, idDigitsMin, defaults });
    expect(Object.keys(row.body).sort()).toEqual(required.sort());
  }
  const table = ROUTES.flatMap(([path, methods]) =>
    methods.split(', ').map((method) => `${method} ${path}`),
  );
  expect(OPERATIONS.map(({ name }) => name).sort()).toEqual(table.sort());
});

/** Files with their text, the project files that they import, and packages by name. */
function sourcesIn(folder: string) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|js)$/.test(name) && !name.includes('node_modules'))
    .map((name) => {
      const path = join(folder, name);
      const text = readFileSync(join(ROOT, path), 'utf8');
      const loaded = importsOf(path, text, STATIC);
      return { path, text, loaded, imports: [...loaded, ...importsOf(path, text, DYNAMIC)] };
    });
}

function importsOf(path: string, text: string, kind: RegExp): string[] {
  return [...text.matchAll(kind)].map(([, from, bare]) => {
    const target = from ?? bare ?? '';
    if (target.startsWith('node:')) return target;
    // A package's name, without the path of an entry.
    if (!target.startsWith('.')) return /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target;
    const stem = normalize(join(path, '..', target)).replace(/\.js$/, '');
    return existsSync(join(ROOT, `${stem}.tsx`)) ? `${stem}.tsx` : `${stem}.ts`;
  });
}

/** `src/core/http/path.ts` → `core/http`; `src/core/log.ts` → `core`; `src/server.ts` → `server`. */
function layerOf(path: string): string {
  const [room = '', ...inner] = relative('src', path).split('/');
  if (inner.length === 0) return room.replace(/\.tsx?$/, '');
  // Storage is one layer, because an engine's parts import each other.
  const isOne = room === 'storage' && inner[0] !== 'erasures';
  return inner.length === 1 || isOne ? room : `${room}/${inner[0]}`;
}

/** The files that a file loads. */
function reachableFrom(path: string, seen = new Set<string>()): Set<string> {
  for (const target of SOURCES.find((source) => source.path === path)?.loaded ?? []) {
    if (!target.startsWith('src/') || seen.has(target)) continue;
    seen.add(target);
    reachableFrom(target, seen);
  }
  return seen;
}

// House rules, which keep the code readable and every layer in its place. Each
// message names the remedy.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE_MAX_LINES = 300;

interface Source {
  /** Relative to the root, such as `src/core/http/path.ts`. */
  readonly path: string;
  readonly text: string;
  /** Imported files relative to the root, and packages by name. */
  readonly imports: readonly string[];
}

const SOURCES = sourcesIn('src');
const TESTS = sourcesIn('test');
const SCRIPTS = sourcesIn('scripts');

/** The operator's client as published, its parts such as the walk over all pages, and how a command is called. */
const OPERATORS_CLIENT = ['operator-client', 'clients/client', 'tools/program'];

/**
 * A layer, and the layers that it may import besides itself; `core/` means all of core.
 * Imports point inward, to `core/domain`; HTTP and storage never meet; hosts put layers
 * together, and nothing but an entry imports a tool.
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
  // At build time: the examples are answers of the handler over a storage in memory.
  'clients/openapi': ['core/', 'handler', 'memory'],
  'tools/program': ['hosts/settings'],
  'tools/data': [
    'core/domain',
    'core',
    'hosts/',
    'storage/erasures',
    'storage',
    ...OPERATORS_CLIENT,
  ],
  'tools/dump': [
    'core',
    'core/domain',
    'core/records',
    'storage/',
    'tools/data',
    'tools/program',
    'operator-client',
  ],
  'tools/console': ['core/domain', 'core', 'hosts/', 'tools/data', ...OPERATORS_CLIENT],
  'tools/manage': ['core/domain', 'storage/', 'hosts/', 'tools/'],
  preview: ['core/', 'hosts/', 'tools/console', 'handler'],
  // The entries, one for each file of dist/.
  handler: ['core/'],
  libsql: ['core/records', 'storage/'],
  memory: ['core/identity', 'core/records', 'storage/'],
  'storage-conformance': ['core/records', 'storage/'],
  client: ['clients/client'],
  'operator-client': ['clients/client', 'core'],
  server: ['tools/'],
  manage: ['tools/'],
  worker: ['hosts/workers'],
  'admin-worker': ['hosts/workers'],
};

/** Where Node's own modules may be used. */
const NODE_LAYERS = /^(?:storage|hosts\/(?:node|postgres)|tools|preview|libsql|server|manage)\b/;

/** Where a host's clock, environment and console may be used. */
const HOST_LAYERS = new RegExp(`${NODE_LAYERS.source}|^hosts/workers$`);

/** The packages that each layer may use; `zod` judges records, `hono` routes requests. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'core/domain': ['zod'],
  'core/identity': ['jose'],
  'core/http': ['hono'],
  'clients/openapi': ['zod'],
  handler: ['hono'],
  storage: ['libsql', 'pg'],
  'hosts/node': ['@hono/node-server'],
  'hosts/settings': ['leven', 'zod'],
  'hosts/workers': ['cloudflare:workers', '@cloudflare/workers-types', 'hono', 'zod'],
  'tools/data': ['csv-parse', 'csv-stringify', 'fflate', 'read-excel-file'],
  'tools/dump': ['csv-stringify', 'pg'],
  'tools/console': ['hono', '@hono/node-server'],
};

describe('Layers', () => {
  it.each(SOURCES.map((source) => [source.path, source] as const))(
    '%s imports only what its layer may',
    (path, source) => {
      const layer = layerOf(path);
      const allowed = LAYERS[layer];
      expect(
        allowed,
        `${path} is in no known layer: put it into one of ${Object.keys(LAYERS)}`,
      ).toBeDefined();
      for (const target of source.imports) {
        if (target.startsWith('src/')) {
          const reached = layerOf(target);
          expect(
            reached === layer || allowed?.some((name) => covers(name, reached)),
            `${path} imports ${target}: ${layer} may not know ${reached}; pass what it needs as a parameter`,
          ).toBe(true);
        } else if (target.startsWith('node:')) {
          expect(
            NODE_LAYERS.test(layer),
            `${path} imports ${target}: take it as a parameter, a host passes it in`,
          ).toBe(true);
        } else {
          expect(
            PACKAGES[layer] ?? [],
            `${path} imports the package ${target}: keep packages where they are used`,
          ).toContain(target);
        }
      }
    },
  );

  it('have no import cycles', () => {
    for (const { path } of SOURCES)
      expect(cycleFrom(path, []), 'move what both need inward').toEqual([]);
  });

  it('keep the preview out of the deployed server', () => {
    const deployed = [...reachableFrom('src/server.ts')];
    expect(deployed.filter((path) => layerOf(path) === 'preview')).toEqual([]);
    expect(deployed).not.toContain('src/core/identity/local-tokens.ts');
  });

  it('keep the console out of the deployed server and out of Workers', () => {
    for (const entry of ['src/server.ts', 'src/handler.ts', 'src/worker.ts']) {
      const reached = [...reachableFrom(entry)].map(layerOf);
      expect(reached, `${entry}: the console is a program of its own`).not.toContain(
        'tools/console',
      );
    }
  });
});

describe('Files', () => {
  const all = [...SOURCES, ...TESTS, ...SCRIPTS];

  it.each(all.map((source) => [source.path, source] as const))(
    '%s keeps the house style',
    (path, { text }) => {
      const lines = text.split('\n');
      expect(lines.length, `${path} is long: is it one thing?`).toBeLessThanOrEqual(
        FILE_MAX_LINES + 1,
      );
      expect(lines[0], 'the first line says what the file is for').toMatch(/^(\/\/ |#!)/);
      expect(path, 'a name says what is inside').not.toMatch(
        /utils?\b|helpers?\b|misc|common|\bindex\.ts|\btypes\.ts/,
      );
      expect(text, 'no leftovers').not.toMatch(
        new RegExp('@ts-(ignore|expect-error)|\\.(only|skip)\\(|TO' + 'DO|FIX' + 'ME'),
      );
    },
  );

  it('of src neither read the environment nor print outside the host entries', () => {
    for (const { path, text } of SOURCES) {
      if (HOST_LAYERS.test(layerOf(path))) continue;
      expect(text, `${path}: settings and log are parameters`).not.toMatch(
        /\bprocess\.\w|\bconsole\.\w/,
      );
    }
  });

  it('of src take time and randomness as parameters', () => {
    // Each is named once, as the default of an option.
    const defaults = new Set([
      'src/handler.ts',
      'src/memory.ts',
      'src/core/admission/fair-scheduler.ts',
      'src/core/records/memory-store.ts',
      'src/core/identity/checks.ts',
      'src/core/identity/sign-in.ts',
    ]);
    for (const { path, text } of SOURCES) {
      if (HOST_LAYERS.test(layerOf(path)) || defaults.has(path)) continue;
      expect(text, `${path}: take a clock or random bytes as an option`).not.toMatch(
        /Date\.now|new Date\(\)|Math\.random|getRandomValues/,
      );
    }
  });
});

function sourcesIn(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|js)$/.test(name) && !name.includes('node_modules'))
    .map((name) => {
      const path = join(folder, name);
      const text = readFileSync(join(ROOT, path), 'utf8');
      return { path, text, imports: importsOf(path, text) };
    });
}

function importsOf(path: string, text: string): string[] {
  const found = text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'/gm);
  return [...found].map(([, from, bare]) => {
    const target = from ?? bare ?? '';
    if (target.startsWith('node:')) return target;
    // A package by its name, whichever of its entries is meant.
    if (!target.startsWith('.')) return /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target;
    const stem = normalize(join(path, '..', target)).replace(/\.js$/, '');
    return existsSync(join(ROOT, `${stem}.tsx`)) ? `${stem}.tsx` : `${stem}.ts`;
  });
}

/** `src/core/http/path.ts` → `core/http`; `src/core/log.ts` → `core`; `src/server.ts` → `server`. */
function layerOf(path: string): string {
  const [room = '', ...inner] = relative('src', path).split('/');
  if (inner.length === 0) return room.replace(/\.tsx?$/, '');
  // Storage is one layer: an engine's parts know each other.
  const isOne = room === 'storage' && inner[0] !== 'erasures';
  return inner.length === 1 || isOne ? room : `${room}/${inner[0]}`;
}

/** Whether `core/`, or just `core`, means a layer. */
function covers(name: string, layer: string): boolean {
  return name === layer || (name.endsWith('/') && `${layer}/`.startsWith(name));
}

function importsFrom(path: string): readonly string[] {
  const source = SOURCES.find((candidate) => candidate.path === path);
  return (source?.imports ?? []).filter((target) => target.startsWith('src/'));
}

function reachableFrom(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const target of importsFrom(path)) reachableFrom(target, seen);
  return seen;
}

const acyclic = new Set<string>();

/** The files of a cycle reached from here, or none. */
function cycleFrom(path: string, trail: readonly string[]): readonly string[] {
  if (acyclic.has(path)) return [];
  if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
  for (const target of importsFrom(path)) {
    const cycle = cycleFrom(target, [...trail, path]);
    if (cycle.length > 0) return cycle;
  }
  acyclic.add(path);
  return [];
}

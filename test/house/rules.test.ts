// House rules, which keep the code readable and every layer in its place. Each
// message names the remedy.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE_MAX_LINES = 300;

interface Source {
  /** Relative to the root, such as `src/http/path.ts`. */
  readonly path: string;
  readonly text: string;
  /** Imported files relative to the root, and packages by name. */
  readonly imports: readonly string[];
}

const SOURCES = sourcesIn('src');
const TESTS = sourcesIn('test');
const SCRIPTS = sourcesIn('scripts');

/** The operator's commands, what they do, and what they are made of. */
const TOOLS = ['manage', 'program', 'data', 'move', 'console', 'erasures'];

/** What every side of an HTTP exchange may need; no imports of their own. */
const EXCHANGE = ['bounded-body', 'retry-after'];

/** The operator's client as published, and its parts, such as the walk over all pages. */
const CLIENTS = ['operator-client', 'client'];

/**
 * A layer, and the layers that it may import besides itself. Imports point inward, to
 * `domain`; `http` and `storage` never meet; only the files at the top of src
 * and the Node host put layers together.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  admission: ['domain', 'eventually'],
  records: ['domain', 'log', 'throttled-log', 'eventually', 'service-events', 'admission'],
  identity: ['domain', 'log', 'throttled-log', 'eventually', 'admission', ...EXCHANGE],
  http: ['domain', 'records', 'identity', 'log', 'bounded-body', 'eventually', 'admission'],
  storage: ['domain', 'records', 'log', 'service-events'],
  operations: ['domain', 'records', 'service-events'],
  node: [
    'domain',
    'http',
    'records',
    'identity',
    'storage',
    'log',
    'eventually',
    'operations',
    'service-events',
    'admission',
    'settings',
    'setting-warnings',
    'program',
    'erasures',
    'handler',
    'libsql',
    'responder',
  ],
  worker: [
    'domain',
    'http',
    'records',
    'storage',
    'identity',
    'log',
    'bounded-body',
    'settings',
    'setting-warnings',
    'handler',
    'responder',
  ],
  'admin-worker': ['worker'],
  openapi: ['domain', 'http', 'records'],
  conformance: ['domain', 'records'],
  'journal-conformance': ['conformance', 'records'],
  memory: ['handler', 'identity', 'storage'],
  client: ['retry-after'],
  'operator-client': ['client'],
  reference: [],
  log: [],
  'throttled-log': ['log'],
  'bounded-body': [],
  'retry-after': [],
  eventually: [],
  settings: ['domain', 'identity'],
  'setting-warnings': ['settings'],
  program: ['settings'],
  handler: [
    'domain',
    'http',
    'records',
    'identity',
    'log',
    'eventually',
    'service-events',
    'admission',
  ],
  'service-events': [],
  responder: ['handler', 'http', 'identity', 'log', 'records', 'settings', 'admission'],
  libsql: ['handler', 'storage', 'records'],
  server: ['manage', 'program'],
  preview: ['node', 'settings', 'domain', 'log', 'console'],
  data: [...EXCHANGE, ...CLIENTS, 'domain', 'settings', 'program', 'erasures', 'json-line'],
  erasures: ['domain', 'storage', 'json-line'],
  'json-line': [],
  move: ['data', 'storage', 'program', ...EXCHANGE],
  console: [...CLIENTS, 'domain', 'data', 'node', 'settings', 'log', 'program', 'erasures'],
  manage: [...TOOLS, 'node', 'storage', 'settings', 'domain'],
};

/** Where Node's own modules may be used. */
const NODE_LAYERS = new Set(['node', 'storage', 'libsql', 'server', 'preview', ...TOOLS]);

/** Where a host's clock, environment and console may be used. */
const HOST_LAYERS = new Set([...NODE_LAYERS, 'worker']);

/** The packages that each layer may use; `zod` judges records, `hono` routes requests. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  domain: ['zod'],
  identity: ['jose'],
  http: ['hono'],
  openapi: ['zod'],
  handler: ['hono'],
  storage: ['libsql'],
  node: ['@hono/node-server'],
  data: ['csv-parse', 'csv-stringify'],
  move: ['csv-stringify'],
  console: ['hono', '@hono/node-server'],
  worker: ['cloudflare:workers', '@cloudflare/workers-types', 'hono'],
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
          const fine = reached === layer || allowed?.includes(reached);
          expect(
            fine,
            `${path} imports ${target}: ${layer} may not know ${reached}; pass what it needs as a parameter`,
          ).toBe(true);
        } else if (target.startsWith('node:')) {
          expect(
            NODE_LAYERS.has(layer),
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
    for (const part of ['local-identity', 'preview-port', 'preview-notice', 'reference-page']) {
      expect(deployed).not.toContain(`src/node/${part}.ts`);
    }
    expect(deployed).not.toContain('src/identity/local-tokens.ts');
  });

  it('keep the console out of the deployed server and out of Workers', () => {
    for (const entry of ['src/server.ts', 'src/handler.ts', 'src/worker.ts']) {
      const reached = [...reachableFrom(entry)].map(layerOf);
      expect(reached, `${entry}: the console is a program of its own`).not.toContain('console');
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
      if (HOST_LAYERS.has(layerOf(path))) continue;
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
      'src/admission/fair-scheduler.ts',
      'src/records/memory-store.ts',
      'src/identity/userinfo.ts',
      'src/identity/shared-checks.ts',
      'src/identity/bounded-checks.ts',
      'src/identity/sign-in.ts',
    ]);
    for (const { path, text } of SOURCES) {
      if (HOST_LAYERS.has(layerOf(path)) || defaults.has(path)) continue;
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

/** `src/http/path.ts` → `http`; `src/server.ts` → `server`. */
function layerOf(path: string): string {
  const [first = ''] = relative('src', path).split('/');
  return first.replace(/\.tsx?$/, '');
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

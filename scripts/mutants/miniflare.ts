// Miniflare for tests of mutants. A Worker has no environment variables, so each of
// its modules begins with the name of the mutant that is tried. In the run without a
// mutant the Worker's log says which mutants it reaches.

import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import type { MiniflareOptions } from 'miniflare';
import { ACTIVE, SEEN } from './environment-names.js';

const real: typeof import('miniflare') = createRequire(import.meta.url)('miniflare');

export class Miniflare extends real.Miniflare {
  constructor(options: MiniflareOptions) {
    super(withMutant(options));
  }

  override setOptions(options: MiniflareOptions): Promise<void> {
    return super.setOptions(withMutant(options));
  }
}

interface Module {
  readonly path: string;
  readonly contents?: string;
}

type Options = MiniflareOptions & {
  readonly modules?: readonly Module[];
  readonly workers?: readonly { readonly modules?: readonly Module[] }[];
};

const SEEN_LINE = /mutant (\d+) is seen/g;
const NOTING = `
  globalThis.__stryker__ ??= (() => {
    const seen = new Set();
    const set = (_target, mutant) => {
      if (!seen.has(mutant)) console.log('mutant ' + mutant + ' is seen');
      seen.add(mutant);
      return true;
    };
    return { mutantCoverage: { static: new Proxy({}, { get: () => 0, set }), perTest: {} } };
  })();`.replace(/\s+/g, ' ');

function withMutant(options: MiniflareOptions): MiniflareOptions {
  const { modules, workers } = options as Options;
  return {
    ...options,
    handleRuntimeStdio: reading(options.handleRuntimeStdio),
    ...(modules && { modules: modules.map(moduleWithMutant) }),
    ...(workers && {
      workers: workers.map((worker) => ({
        ...worker,
        ...(worker.modules && { modules: worker.modules.map(moduleWithMutant) }),
      })),
    }),
  } as MiniflareOptions;
}

function moduleWithMutant(module: Module): Module {
  const mutant = process.env[ACTIVE];
  const start =
    mutant === undefined
      ? NOTING
      : `globalThis.__stryker__ ??= { activeMutant: ${JSON.stringify(mutant)} };`;
  return { ...module, contents: start + (module.contents ?? readFileSync(module.path, 'utf8')) };
}

type HandleStdio = (stdout: Readable, stderr: Readable) => void;

function reading(handle: HandleStdio | undefined): HandleStdio {
  const path = process.env[SEEN];
  return (stdout, stderr) => {
    let rest = '';
    stdout.on('data', (chunk: Buffer) => {
      if (path === undefined) return;
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const [, mutant] of lines.join('\n').matchAll(SEEN_LINE)) {
        appendFileSync(path, `${mutant}\n`);
      }
    });
    if (handle !== undefined) handle(stdout, stderr);
    else stderr.resume();
  };
}

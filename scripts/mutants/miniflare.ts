// Miniflare for tests of mutants: each module of a Worker begins with the name of
// the mutant that is tried, because a Worker has no environment variables.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { MiniflareOptions } from 'miniflare';

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

function withMutant(options: MiniflareOptions): MiniflareOptions {
  const { modules, workers } = options as Options;
  return {
    ...options,
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
  const mutant = process.env['__STRYKER_ACTIVE_MUTANT__'];
  if (mutant === undefined) return module;
  const text = module.contents ?? readFileSync(module.path, 'utf8');
  const named = `globalThis.__stryker__ ??= { activeMutant: ${JSON.stringify(mutant)} };`;
  return { ...module, contents: `${named}${text}` };
}

// The storage over a durable object's database, inside the Workers runtime.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { afterAll, describe, expect, it } from 'vitest';
import { readDeployment } from '../../../scripts/worker/deployment.js';
import { storageConformance } from '../../../src/storage/conformance/storage-checks.js';

const runtime = startRuntime();
afterAll(async () => (await runtime).dispose());

async function startRuntime() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./object-record-storage-worker.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    target: 'es2023',
    external: ['cloudflare:workers'],
    write: false,
  });
  return new Miniflare({
    name: 'storage',
    compatibilityDate: readDeployment().compatibilityDate,
    modules: [{ type: 'ESModule', path: 'worker.js', contents: outputFiles[0]?.text ?? '' }],
    durableObjects: { CHECKS: { className: 'CheckingObject', useSQLite: true } },
  });
}

const names = storageConformance(() => Promise.reject(new Error('run in the runtime')), {
  refusesEvents: true,
  opensTwice: false,
}).map(({ name }) => name);

describe('A storage — durable object', () => {
  it.each(names)('%s', async (name) => {
    const init = { method: 'POST', body: name };
    const response = await (await runtime).dispatchFetch('http://localhost/', init);
    expect(await response.text()).toBe('');
  });
});

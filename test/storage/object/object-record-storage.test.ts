// The storage over a durable object's database, inside the Workers runtime.

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { afterAll, describe, expect, it } from 'vitest';
import { readDeployment } from '../../../scripts/worker/deployment.js';
import type { CommitResult, StoredRow } from '../../../src/core/records/record-storage.js';
import {
  type CheckedStorage,
  changes,
  conformanceOf,
  loaded,
  row,
} from '../storage-conformance.js';
import type { StorageRequest } from './object-record-storage-worker.js';

const runtime = startRuntime();
afterAll(async () => (await runtime).miniflare.dispose());

async function startRuntime() {
  const bundle = await build({
    entryPoints: [fileURLToPath(new URL('./object-record-storage-worker.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    target: 'es2023',
    external: ['cloudflare:workers'],
    write: false,
  });
  const miniflare = new Miniflare({
    name: 'storage',
    compatibilityDate: readDeployment().compatibilityDate,
    modules: [{ type: 'ESModule', path: 'worker.js', contents: bundle.outputFiles[0]?.text ?? '' }],
    durableObjects: { PLACES: { className: 'StorageObject', useSQLite: true } },
  });
  return { miniflare, url: await miniflare.ready };
}

async function ask<T>(place: string, call: StorageRequest['call'], ...args: unknown[]): Promise<T> {
  // The runtime closes a connection that was idle for 5 s, perhaps under the next request.
  const headers = { Connection: 'close' };
  const how = { method: 'POST', headers, body: JSON.stringify({ call, args }) };
  const response = await fetch(new URL(place, (await runtime).url), how);
  const answer = (await response.json()) as { value: T } | { error: string };
  if ('error' in answer) throw new Error(answer.error);
  return answer.value;
}

function storageAt(place: string): CheckedStorage {
  return {
    async *load() {
      yield* await ask<StoredRow[][]>(place, 'load');
    },
    async commit(some) {
      const result = await ask<CommitResult>(place, 'commit', some);
      return 'error' in result ? { ...result, error: new Error(String(result.error)) } : result;
    },
    sequences: () => ask(place, 'sequences'),
    usage: (times) => ask(place, 'usage', times),
    ping: () => ask(place, 'ping'),
    auditEvents: (page) => ask(place, 'auditEvents', page),
    close: () => ask(place, 'close'),
  };
}

const place = () => `/${randomUUID()}`;

const reopened = (where: string) =>
  expect(ask(where, 'reopen')).rejects.toThrow('reopened by the test');

conformanceOf(
  'durable object',
  async () => {
    const where = place();
    return {
      async open() {
        await reopened(where);
        return storageAt(where);
      },
      async refuseEvents() {
        const refusal = "begin select raise(abort, 'injected'); end";
        await ask(where, 'sql', `create trigger t before insert on audit_events ${refusal}`);
      },
      async remove() {},
    };
    // The platform has one object of a name, and ends the storage of an earlier one.
  },
  { opensTwice: false },
);

describe("A durable object's storage", () => {
  it('stores a body of its stated maximum, and refuses one above it', async () => {
    const where = place();
    const storage = storageAt(where);
    const bodyOf = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`;
    const largest = row(1, bodyOf(1_990_000));
    expect(await storage.commit(changes({ puts: [largest] }))).toEqual({ status: 'committed' });
    const tooLarge = changes({ puts: [row(3), row(2, bodyOf(2_200_000))] });
    expect((await storage.commit(tooLarge)).status).toBe('notStored');
    await reopened(where);
    expect(await loaded(storage)).toEqual([largest]);
  });
});

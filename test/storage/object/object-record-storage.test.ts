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
  const how = { method: 'POST', body: JSON.stringify({ call, args }) };
  const response = await fetch(new URL(place, (await runtime).url), how);
  const answer = (await response.json()) as { value: T } | { error: string };
  if ('error' in answer) throw new Error(answer.error);
  return answer.value;
}

function storageAt(place: string): CheckedStorage {
  return {
    bodyMaxBytes: 0,
    async *load() {
      yield* await ask<StoredRow[][]>(place, 'load');
    },
    async commit(some) {
      const result = await ask<CommitResult>(place, 'commit', some);
      return 'error' in result ? { ...result, error: new Error(String(result.error)) } : result;
    },
    sequences: () => ask(place, 'sequences'),
    async auditEvents({ page, pageSize }) {
      if ((await ask<unknown[]>(place, 'sql', TABLES)).length === 0) return { items: [], total: 0 };
      const kept = await ask<{ event: string }[]>(place, 'sql', EVENTS);
      const items = kept.map(({ event }) => event);
      return { items: items.slice((page - 1) * pageSize, page * pageSize), total: items.length };
    },
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

const EVENTS = "select json_set(event, '$.id', id) as event from audit_events order by id desc";
const TABLES =
  "select name from sqlite_schema where name in ('records', 'audit_events', 'sequences')";

describe("A durable object's storage", () => {
  it('makes no table for a read or a first write that fails', async () => {
    const where = place();
    const storage = storageAt(where);
    expect([await loaded(storage), await storage.sequences()]).toEqual([[], {}]);
    const twice = [row(1), { ...row(2), id: row(1).id }];
    expect((await storage.commit(changes({ puts: twice }))).status).toBe('notStored');
    expect(await ask(where, 'sql', TABLES)).toEqual([]);
    await storage.commit(changes({ puts: [row(1)] }));
    expect(await ask(where, 'sql', TABLES)).toHaveLength(3);
  });

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

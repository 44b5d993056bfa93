// A Worker that lets a test speak to a storage inside a durable object: each
// object is one place to store into, each request one call.

import { DurableObject } from 'cloudflare:workers';
import { ObjectRecordStorage } from '../../../src/storage/object/object-record-storage.js';

/** One call; its answer is `{ value }` or `{ error }`, an error being its message. */
export interface StorageRequest {
  readonly place: string;
  readonly call: 'load' | 'commit' | 'sequences' | 'close' | 'sql' | 'reopen';
  readonly args: readonly unknown[];
}

export class StorageObject extends DurableObject {
  #recordStorage = new ObjectRecordStorage({
    storage: this.ctx.storage,
    epoch: crypto.randomUUID(),
  });

  override async fetch(request: never): Promise<never> {
    const { call, args }: StorageRequest = await (request as Request).json();
    return (await answer(() => this.#perform(call, args))) as never;
  }

  async #perform(call: StorageRequest['call'], args: readonly unknown[]): Promise<unknown> {
    switch (call) {
      case 'load': {
        const pages = [];
        for await (const page of this.#recordStorage.load()) pages.push(page);
        return pages;
      }
      case 'sql':
        return this.ctx.storage.sql.exec(String(args[0])).toArray();
      case 'reopen':
        // The next call finds a new object, which knows only what is on disk.
        return this.ctx.abort('reopened by the test');
      case 'commit': {
        const result = await this.#recordStorage.commit(args[0] as never);
        return JSON.parse(JSON.stringify(result, errorsAsMessages));
      }
      case 'sequences':
        return this.#recordStorage.sequences();
      case 'close':
        return this.#recordStorage.close();
    }
  }
}

function errorsAsMessages(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}

async function answer(run: () => Promise<unknown>): Promise<Response> {
  try {
    return Response.json({ value: (await run()) ?? null });
  } catch (error) {
    return Response.json({ error: String(error) });
  }
}

interface Environment {
  readonly PLACES: {
    getByName(name: string): { fetch(request: Request): Promise<Response> };
  };
}

export default {
  fetch: (request: Request, { PLACES }: Environment): Promise<Response> =>
    PLACES.getByName(new URL(request.url).pathname)
      .fetch(request)
      .catch((error: unknown) => Response.json({ error: String(error) })),
};

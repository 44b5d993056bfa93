// A Worker whose objects are each one storage of a test; each request is one call.

import { DurableObject } from 'cloudflare:workers';
import { silentLog } from '../../../src/core/log.js';
import { ObjectRecordStorage } from '../../../src/storage/object/object-record-storage.js';

/** One call; its answer is `{ value }` or `{ error }`, an error being its message. */
export interface StorageRequest {
  readonly call:
    | 'load'
    | 'commit'
    | 'sequences'
    | 'auditEvents'
    | 'usage'
    | 'ping'
    | 'close'
    | 'sql'
    | 'reopen';
  readonly args: readonly unknown[];
}

export class StorageObject extends DurableObject {
  #recordStorage = new ObjectRecordStorage({
    storage: this.ctx.storage,
    log: silentLog,
    seedsSamples: false,
    pause: async () => {},
  });

  override async fetch(request: never): Promise<never> {
    const { call, args }: StorageRequest = await (request as Request).json();
    const answer = await this.#perform(call, args).then(
      (value) => ({ value: value ?? null }),
      (error: unknown) => ({ error: String(error) }),
    );
    const asMessage = (_: string, value: unknown) =>
      value instanceof Error ? value.message : value;
    return new Response(JSON.stringify(answer, asMessage)) as never;
  }

  async #perform(call: StorageRequest['call'], args: readonly unknown[]): Promise<unknown> {
    if (call === 'sql') return this.ctx.storage.sql.exec(String(args[0])).toArray();
    // The next call finds a new object, which knows only what is on disk.
    if (call === 'reopen') return this.ctx.abort('reopened by the test');
    if (call !== 'load') return this.#recordStorage[call](args[0] as never);
    const pages = [];
    for await (const page of this.#recordStorage.load()) pages.push(page);
    return pages;
  }
}

interface Environment {
  readonly PLACES: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
}

export default {
  fetch: (request: Request, { PLACES }: Environment): Promise<Response> =>
    PLACES.getByName(new URL(request.url).pathname)
      .fetch(request)
      .catch((error: unknown) => Response.json({ error: String(error) })),
};

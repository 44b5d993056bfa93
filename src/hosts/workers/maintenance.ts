// `manage dump` and `manage load` of the whole service, in pieces of its tables' rows. Only with the
// variable MAINTENANCE=on and the operator's key.

import { type AdminKey, adminGate } from '../../core/http/authentication.js';
import type { ObjectStorage } from '../../storage/object/object-storage.js';
import { isTable, Transfer } from '../../storage/object/transfer.js';

const PREFIX = '/maintenance/';

interface MaintenanceOptions {
  readonly storage: ObjectStorage;
  readonly adminKey: AdminKey;
  /** Reads what is stored again. */
  readonly reload: () => Promise<void>;
}

export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly #transfer: Transfer;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
    this.#transfer = new Transfer(options.storage);
  }

  isAskedBy(url: URL): boolean {
    return url.pathname.startsWith(PREFIX);
  }

  async dispatch(request: Request, url: URL): Promise<Response> {
    const admitted = adminGate(this.#options.adminKey)(request);
    if (!admitted.ok) return refused(401, admitted.failure.message);
    try {
      const data = await this.#perform(request, url);
      return data === undefined ? refused(404, 'no such path') : Response.json({ data });
    } catch (error) {
      return refused(409, error instanceof Error ? error.message : String(error));
    }
  }

  async #perform(request: Request, { pathname, searchParams }: URL): Promise<unknown> {
    const name = pathname.slice(PREFIX.length);
    const transfer = this.#transfer;
    if (request.method === 'GET') {
      if (isTable(name)) return transfer.rowsAfter(name, Number(searchParams.get('after')));
      return name === 'highest' ? transfer.highest() : undefined;
    }
    if (name !== 'load') return undefined;
    if (request.method === 'PUT') transfer.take((await request.json()) as never);
    else {
      transfer.finish((await request.json()) as never);
      await this.#options.reload();
    }
    return null;
  }
}

function refused(status: number, message: string): Response {
  return Response.json({ error: { message } }, { status });
}

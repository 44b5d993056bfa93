// `manage dump` and `manage load` of the whole service, in pieces of its tables' rows. Only with the
// variable MAINTENANCE=on and the operator's key.

import { type AdminKey, adminGate } from '../../core/http/authentication.js';
import type { ObjectStorage } from '../../storage/object/object-storage.js';
import {
  finishLoad,
  isTable,
  rowsAfter,
  storedSequences,
  takePiece,
} from '../../storage/object/transfer.js';

const PATH = /^\/maintenance\/([\w-]+)$/;

/** Undefined for a request to another path. `reload`: reads what is stored again. */
export function maintenanceOf(
  storage: ObjectStorage,
  adminKey: AdminKey,
  reload: () => Promise<void>,
) {
  const admit = adminGate(adminKey);

  async function perform(request: Request, name: string, after: number): Promise<unknown> {
    if (request.method === 'GET') {
      return isTable(name) ? rowsAfter(storage, name, after) : storedSequences(storage);
    }
    const body = (await request.json()) as never;
    if (request.method === 'PUT') takePiece(storage, name, body);
    else {
      finishLoad(storage, name, body);
      await reload();
    }
    return null;
  }

  return (request: Request): Promise<Response> | undefined => {
    const { pathname, searchParams } = new URL(request.url);
    const name = PATH.exec(pathname)?.[1];
    if (name === undefined) return undefined;
    const admitted = admit(request);
    if (!admitted.ok) return Promise.resolve(refused(401, admitted.failure.message));
    return perform(request, name, Number(searchParams.get('after'))).then(
      (data) => Response.json({ data }),
      (error) => refused(409, error instanceof Error ? error.message : String(error)),
    );
  };
}

function refused(status: number, message: string): Response {
  return Response.json({ error: { message } }, { status });
}

// The built Worker with failures that a test plants: in the object's storage, through its port, and
// before the object responds.

import worker, { ServiceObject as Built } from '../../src/worker.js';

/** `doubt`: the next transaction is committed and then fails. `loss`: the object ends at its next requests. */
interface Planted {
  doubt: boolean;
  losses: number;
}
const planted: Planted = { doubt: false, losses: 0 };
/** Requests that reached an object. */
let arrived = 0;

export class ServiceObject extends Built {
  constructor(...[ctx, env]: ConstructorParameters<typeof Built>) {
    const { storage } = ctx;
    const transactionSync = storage.transactionSync.bind(storage);
    storage.transactionSync = (run) => {
      const result = transactionSync(run);
      if (!planted.doubt) return result;
      planted.doubt = false;
      throw new Error('planted');
    };
    super(ctx, env);
  }

  override fetch(request: never) {
    arrived++;
    if (planted.losses > 0) {
      planted.losses--;
      this.ctx.abort('planted');
    }
    return super.fetch(request);
  }
}

export default {
  async fetch(request: Request, env: never): Promise<Response> {
    if (new URL(request.url).pathname !== '/plant') return worker.fetch(request, env);
    Object.assign(planted, await request.json());
    const before = arrived;
    arrived = 0;
    return Response.json({ arrived: before });
  },
};

// A Worker whose objects each run one check of the storage, on their own database.

import { DurableObject } from 'cloudflare:workers';
import { silentLog } from '../../../src/core/log.js';
import { storageConformance } from '../../../src/storage/conformance/storage-checks.js';
import { ObjectRecordStorage } from '../../../src/storage/object/object-record-storage.js';

export class CheckingObject extends DurableObject {
  /** Answers with nothing, or with what the check found. `name`: of the check. */
  async check(name: string): Promise<string> {
    const { storage } = this.ctx;
    const refusal = "begin select raise(abort, 'injected'); end";
    const home = {
      open: async () =>
        new ObjectRecordStorage({
          ...{ storage, log: silentLog, seedsSamples: false },
        }),
      refuseEvents: async () =>
        void storage.sql.exec(`create trigger t before insert on audit_events ${refusal}`),
      remove: async () => {},
    };
    // The platform has one object of a name, and ends the storage of an earlier one.
    const options = { refusesEvents: true, opensTwice: false };
    const check = storageConformance(async () => home, options).find((each) => each.name === name);
    if (check === undefined) return 'there is no such check';
    return check.run().then(() => '', String);
  }
}

interface Environment {
  readonly CHECKS: { getByName(name: string): CheckingObject };
}

export default {
  async fetch(request: Request, { CHECKS }: Environment): Promise<Response> {
    const name = await request.text();
    return new Response(await CHECKS.getByName(name).check(name));
  },
};

// The entry of the copies Worker: a script of its own over the objects of the service,
// which its cron trigger starts.

import { answerCopies, copyAccounts } from './worker/copies/copies.js';
import type { CopiesEnvironment } from './worker/copies/copy-format.js';

export default {
  fetch: answerCopies,
  scheduled: (_: unknown, env: CopiesEnvironment) => copyAccounts(env),
};

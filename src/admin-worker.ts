// The entry of the admin Worker: a script of its own over the objects of the service. Its
// cron trigger copies every account.

import { admin } from './worker/admin/admin.js';
import type { AdminEnvironment } from './worker/admin/admin-route.js';
import { copyAccounts } from './worker/copies/copies.js';

export default {
  fetch: admin.fetch,
  scheduled: (_: unknown, env: AdminEnvironment) => copyAccounts(env),
};

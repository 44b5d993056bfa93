// The entry of the admin Worker: a script of its own over the objects of the service. Its
// cron trigger copies every account.

import { admin } from './hosts/workers/admin/admin.js';
import type { AdminEnvironment } from './hosts/workers/admin/admin-route.js';
import { copyAccounts } from './hosts/workers/copies/copies.js';

export default {
  fetch: admin.fetch,
  scheduled: (_: unknown, env: AdminEnvironment) => copyAccounts(env),
};

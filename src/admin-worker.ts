// The entry of the admin Worker: a script of its own over the objects of the service.

import { admin } from './hosts/workers/admin/admin.js';

export default { fetch: admin.fetch };

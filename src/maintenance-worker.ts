// The entry of the maintenance Worker: a script of its own over the objects of the
// service, deployed for a task and removed after it.

import { maintain } from './worker/maintenance.js';

export default { fetch: maintain };

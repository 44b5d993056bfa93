// The entry on Cloudflare Workers. The front answers requests, one object for each
// account holds its records, and one directory answers the operator's views.

import { createFront } from './worker/front.js';

export { AccountObject } from './worker/account-object.js';
export { DirectoryObject } from './worker/directory-object.js';

export default { fetch: createFront() };

// The entry on Cloudflare Workers: the front answers requests, an object for
// each account holds its records, one directory serves the operator's views.

import { createFront } from './worker/front.js';

export { AccountObject } from './worker/account-object.js';
export { DirectoryObject } from './worker/directory-object.js';

export default { fetch: createFront() };

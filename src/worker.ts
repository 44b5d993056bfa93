// The entry on Cloudflare Workers. The gateway answers requests, one object for each
// account holds its records, and one directory answers the operator's views.

import { createGateway } from './hosts/workers/gateway.js';

export { AccountObject } from './hosts/workers/account-object.js';
export { DirectoryObject } from './hosts/workers/directory-object.js';

export default { fetch: createGateway() };

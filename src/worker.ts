// The entry point on Cloudflare Workers. Every request goes to one object, which is the whole service.

import { forward } from './hosts/workers/gateway.js';

export { ServiceObject } from './hosts/workers/service-object.js';

export default { fetch: forward };

// `npm run dev:worker`: runs the built Worker in Miniflare on loopback with the preview's identity
// provider: the token `local-NAME` is the account `local-NAME`. State is kept in data/worker.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { startIdentity } from '../identity.js';
import { root } from '../root.js';
import { miniflareOptions } from './deployment.js';

const identity = await startIdentity();
const adminKey = process.env['ADMIN_API_KEY'] || randomBytes(24).toString('base64url');
const settings = { AUTH_USERINFO_URL: identity.userinfoUrl, ADMIN_API_KEY: adminKey };
const miniflare = new Miniflare({
  ...miniflareOptions({ folder: join(root, 'data/worker'), settings }),
  host: '127.0.0.1',
  port: Number(process.env['PORT'] || 8787),
});
const { origin } = await miniflare.ready;
process.stdout.write(`
The Worker runs at ${origin}/api/v1 (data in data/worker; Ctrl-C stops it).

Tokens     local-NAME is the account local-NAME; local-preview owns the sample shop
Admin key  ${adminKey}

curl -s ${origin}/api/v1/orders -H 'Authorization: Bearer local-preview'

`);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, async () => {
    await miniflare.dispose();
    await identity.close();
  });
}

// The preview's identity provider, for commands that run the service on this machine.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './root.js';

/** On a free port of this machine: the token `local-NAME` is the account `local-NAME`. Needs the build. */
export async function startIdentity() {
  const path = join(root, 'dist/memory.js');
  /** @type {typeof import('../src/memory.js')} */
  const { localIdentity } = await import(pathToFileURL(path).href);
  const server = createServer(async ({ headers }, response) => {
    const [, token = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
    const identity = await localIdentity().identify(token);
    const sub = identity.status === 'identified' ? identity.subject : undefined;
    response.writeHead(sub === undefined ? 401 : 200).end(JSON.stringify({ sub }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    userinfoUrl: `http://127.0.0.1:${port}/userinfo`,
    close: () => new Promise((resolve) => void server.close(resolve)),
  };
}

// The preview's identity provider, for the commands that run the service on this machine.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './root.js';

/** The preview's identity provider, on a free port of this machine. Needs the build. */
export async function startIdentity() {
  const path = join(root, 'dist/local-identity.js');
  /** @type {typeof import('../src/preview/local-identity.js')} */
  const { answerUserinfo } = await import(pathToFileURL(path).href);
  const server = createServer(answerUserinfo).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    userinfoUrl: `http://127.0.0.1:${port}/userinfo`,
    close: () => new Promise((resolve) => void server.close(resolve)),
  };
}

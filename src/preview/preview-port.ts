// The preview's second port: its identity provider and its API reference. Never for a deployed service,
// because the provider accepts every token.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { localIdentity } from '../core/identity/local-tokens.js';
import { isLoopbackHost } from './loopback-only.js';
import { referenceFile } from './reference-page.js';

const ADDRESS = '127.0.0.1';
const PORTS_TRIED_MAX = 100;

/** Resolves with its origin: port 8081 of 127.0.0.1, or the next free one. `apiOrigin`: of the service that the reference calls. */
export async function startPreviewPort(apiOrigin: () => string): Promise<string> {
  // A fixed port, so that bookmarks stay valid across restarts.
  const port = await nextFreePort(8081);
  const server = createServer(
    getRequestListener(async (request) => {
      const { pathname } = new URL(request.url);
      if (!isLoopbackHost(request.headers.get('host'))) {
        return new Response('only for programs on this machine; use 127.0.0.1\n', { status: 403 });
      }
      return pathname === '/userinfo' ? userinfo(request) : referenceFile(pathname, apiOrigin());
    }),
  );
  await once(server.listen(port, ADDRESS), 'listening');
  return `http://${ADDRESS}:${port}`;
}

/** The token `local-NAME` is the account `local-NAME`. */
async function userinfo({ headers }: Request): Promise<Response> {
  const [, token = ''] = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const identity = await localIdentity().identify(token);
  return identity.status === 'identified'
    ? Response.json({ sub: identity.subject })
    : Response.json({ error: 'invalid_token' }, { status: 401 });
}

/** The first free port of 127.0.0.1 from `first` on. `reserved`: a port that is about to be used. */
export async function nextFreePort(first: number, reserved?: number): Promise<number> {
  for (let port = first; port < first + PORTS_TRIED_MAX; port++) {
    if (port === reserved) continue;
    const server = createServer().listen(port, ADDRESS);
    const isFree = await once(server, 'listening').catch(() => false);
    if (isFree) return once(server.close(), 'close').then(() => port);
  }
  throw new Error(`no port from ${first} on is free; stop a program that listens on one`);
}

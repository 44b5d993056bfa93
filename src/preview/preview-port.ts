// The preview's second port, with its identity provider and its API reference. A deployed service
// must have neither: the provider verifies nothing.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { localIdentity } from '../core/identity/local-tokens.js';
import { isLoopbackHost } from './loopback-only.js';
import { referenceFile } from './reference-page.js';

const ADDRESS = '127.0.0.1';
const PORTS_TRIED_MAX = 100;

/** Resolves with its origin: port 8081 of 127.0.0.1, or the next free one. `apiOrigin`: whose reference is shown. */
export async function startPreviewPort(apiOrigin: () => string): Promise<string> {
  // A fixed port, so that bookmarks stay valid from one start to the next.
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
  const who = await localIdentity().identify(token);
  return who.status === 'identified'
    ? Response.json({ sub: who.subject })
    : Response.json({ error: 'invalid_token' }, { status: 401 });
}

/** The first free port of 127.0.0.1, from this one upwards. `taken`: a port that is about to be used. */
export async function nextFreePort(wanted: number, taken?: number): Promise<number> {
  for (let port = wanted; port < wanted + PORTS_TRIED_MAX; port++) {
    if (port === taken) continue;
    const server = createServer().listen(port, ADDRESS);
    const isFree = await once(server, 'listening').catch(() => false);
    if (isFree) return once(server.close(), 'close').then(() => port);
  }
  throw new Error(`no port from ${wanted} upwards is free; end a program that listens there`);
}

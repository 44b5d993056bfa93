// The preview's second port, with its identity provider and its API reference. A deployed service
// must have neither: the provider verifies nothing.

import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { localIdentity } from '../core/identity/local-tokens.js';
import { isLoopbackHost } from './loopback-only.js';
import { referenceFile } from './reference-page.js';

const ADDRESS = '127.0.0.1';
/** How many ports are tried. */
const PORTS_TRIED_MAX = 100;

/** Port 8081 of 127.0.0.1, or the next free one. `apiOrigin`: whose reference is shown. */
export async function startPreviewPort(apiOrigin: () => string) {
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
  await listening(server, port);
  return { origin: `http://${ADDRESS}:${port}`, close: () => closed(server) };
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
    const server = createServer();
    const isFree = port !== taken && (await listening(server, port).catch(() => false));
    if (isFree) return closed(server).then(() => port);
  }
  throw new Error(`no port from ${wanted} upwards is free; end a program that listens there`);
}

function listening(server: Server, port: number): Promise<true> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, ADDRESS, () => resolve(true));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

// The preview's second port, with its identity provider and its API reference. A deployed
// service must have neither.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerUserinfo } from './local-identity.js';
import { isLoopbackHost } from './loopback-only.js';
import { answerReference } from './reference-page.js';

const USERINFO_PATH = '/userinfo';
const ADDRESS = '127.0.0.1';
/** A fixed port, so that bookmarks stay valid from one start to the next. */
const REFERENCE_PORT = 8081;
/** The number of ports that are tried after the wanted one. */
const PORTS_TRIED_MAX = 100;

export interface PreviewPort {
  readonly userinfoUrl: string;
  /** Shows the reference of the API at that origin. Returns the page's address. */
  showReference(apiOrigin: string): string;
  close(): Promise<void>;
}

/** Listens on port 8081 of 127.0.0.1, or the next free one. */
export async function startPreviewPort(): Promise<PreviewPort> {
  let apiOrigin = '';
  const server = createServer((request, response) => {
    if (!isLoopbackHost(request.headers.host)) {
      response.writeHead(403, { 'Content-Type': 'text/plain' });
      response.end('only for programs on this machine; use the address 127.0.0.1\n');
      return;
    }
    if (request.url === USERINFO_PATH) return answerUserinfo(request, response);
    answerReference(apiOrigin, request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  const port = await listenOnNextFree(server, REFERENCE_PORT);
  const origin = `http://${ADDRESS}:${port}`;
  return {
    userinfoUrl: origin + USERINFO_PATH,
    showReference(api) {
      apiOrigin = api;
      return `${origin}/`;
    },
    close: () => closed(server),
  };
}

/** Resolves with the first free port of 127.0.0.1, from this one upwards. */
export async function nextFreePort(wanted: number): Promise<number> {
  const server = createServer();
  const port = await listenOnNextFree(server, wanted);
  await closed(server);
  return port;
}

async function listenOnNextFree(server: Server, wanted: number): Promise<number> {
  for (let tried = 0; tried < PORTS_TRIED_MAX; tried++) {
    if (await listens(server, wanted + tried)) return wanted + tried;
  }
  // 0: the system chooses.
  await listens(server, 0);
  return (server.address() as AddressInfo).port;
}

/** Resolves with false if the port is in use. */
function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error);
    server.once('error', onError);
    server.listen(port, ADDRESS, () => {
      server.off('error', onError);
      resolve(true);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

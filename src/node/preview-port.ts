// The preview's own port, beside the API's: its identity provider and its API
// reference. Neither has a place in a deployed service.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerUserinfo } from './local-identity.js';
import { isLoopbackHost } from './loopback-only.js';
import { answerReference } from './reference-page.js';

const USERINFO_PATH = '/userinfo';

export interface PreviewPort {
  readonly userinfoUrl: string;
  /** Shows the reference of the API at that origin; resolves with the page's address. */
  showReference(apiOrigin: string): string;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. */
export async function startPreviewPort(): Promise<PreviewPort> {
  let apiOrigin = '';
  const server = createServer((request, response) => {
    if (!isLoopbackHost(request.headers.host)) {
      response.writeHead(403, { 'Content-Type': 'text/plain' });
      response.end('this is for programs of this machine; use its address 127.0.0.1\n');
      return;
    }
    if (request.url === USERINFO_PATH) return answerUserinfo(request, response);
    answerReference(apiOrigin, request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    userinfoUrl: origin + USERINFO_PATH,
    showReference(api) {
      apiOrigin = api;
      return `${origin}/`;
    },
    close: () => closed(server),
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

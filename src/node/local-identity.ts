// The preview's identity provider: a user-information endpoint on loopback that
// takes the token `local-NAME` for the subject `local-NAME`. It proves nothing
// about anybody, so it has no place in a deployed service.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const LOCAL_TOKEN = /^Bearer (local-[A-Za-z0-9._~-]+)$/i;

export interface LocalIdentity {
  readonly userinfoUrl: string;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. */
export async function startLocalIdentity(): Promise<LocalIdentity> {
  const server = createServer((request, response) => {
    const subject = LOCAL_TOKEN.exec(request.headers.authorization ?? '')?.[1];
    response.writeHead(subject === undefined ? 401 : 200, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify(subject === undefined ? { error: 'invalid_token' } : { sub: subject }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { userinfoUrl: `http://127.0.0.1:${port}/userinfo`, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

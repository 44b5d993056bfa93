// A test's server on loopback or on a Unix socket: its address, and how it is closed.

import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

export type LocalServer = Awaited<ReturnType<typeof listenLocally>>;

/** Resolves when the server listens on a free port, or on the socket of that path. */
export async function listenLocally(server: Server | HttpServer, socketPath?: string) {
  const address = socketPath === undefined ? { port: 0, host: '127.0.0.1' } : { path: socketPath };
  await once(server.listen(address), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    /** Cuts the connections of an HTTP server, too. Does nothing if it is closed already. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

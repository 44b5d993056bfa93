// A test's server on loopback: its address, and how it is closed.

import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

export type Loopback = Awaited<ReturnType<typeof onLoopback>>;

/** Resolves when the server listens. `wanted`: a port; 0 is any free one. */
export async function onLoopback(server: Server | HttpServer, wanted = 0) {
  await once(server.listen(wanted, '127.0.0.1'), 'listening');
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

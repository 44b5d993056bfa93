// A server of a test on loopback: where it listens, and its end.

import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

export interface Loopback {
  readonly port: number;
  readonly origin: string;
  /** Cuts the connections of an HTTP server, too. */
  close(): Promise<void>;
}

/** Resolves when the server listens. `wanted`: a port; 0 is any free one. */
export async function onLoopback(server: Server | HttpServer, wanted = 0): Promise<Loopback> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(wanted, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

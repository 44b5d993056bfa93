// A port that nobody has yet, near one that is easy to remember.

import { createServer } from 'node:net';

/** After so many taken ones the system picks. */
const TRIED_MAX = 20;

/** The first free port of 127.0.0.1 from `first` on; 0, for the system to pick, where many are taken. */
export async function freePort(first: number): Promise<number> {
  for (let port = first; port < first + TRIED_MAX; port++) if (await isFree(port)) return port;
  return 0;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

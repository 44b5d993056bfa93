// The contract suite's second host: the built server as a process.

import { hasTriggers, plantedServer } from '../trials/planted-triggers.js';
import { databasePath, overFile } from './database-file.js';
import { environmentOf, type Host } from './host.js';
import { type ServerProcess, startServer } from './server-process.js';

/** `node dist/server.js` over real HTTP. */
export const serverHost: Host = {
  name: 'node dist/server.js',
  ...overFile,
  async start(options) {
    const path = databasePath(options.folder);
    const server: ServerProcess = await startServer(
      { DATABASE_URL: `file:${path}`, ...environmentOf(options) },
      hasTriggers(path) ? { script: plantedServer() } : {},
    );
    return {
      fetch: (path, init) => fetch(server.origin + path, init),
      async close() {
        const code = await server.stop();
        if (code !== 0) throw new Error(`the server exited with ${code}: ${server.output()}`);
      },
    };
  },
};

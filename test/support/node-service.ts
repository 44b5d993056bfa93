// The built server with a folder and an identity provider of its own, for tests of
// the Node host: sockets, signals, log lines, files.

import { join } from 'node:path';
import { openIdentityStub, tokenOf } from './identity-stub.js';
import { type How, type ServerProcess, startServer } from './server-process.js';
import { openFolder } from './test-folder.js';

export type NodeService = Awaited<ReturnType<typeof openNodeService>>;

export async function openNodeService() {
  const folder = await openFolder();
  const identity = await openIdentityStub();
  const started: ServerProcess[] = [];
  /** Of every start; a test may add to it. */
  const environment: Readonly<Record<string, string>> = {
    DATABASE_URL: `file:${join(folder.path, 'service.db')}`,
    AUTH_USERINFO_URL: identity.url,
  };
  return {
    ...{ folder: folder.path, identity, environment },
    /** Starts `node dist/server.js` on the folder. Closing the service kills a server that still runs. */
    async start(more: Readonly<Record<string, string>> = {}, how: How = {}) {
      const server = await startServer({ ...environment, ...more }, how);
      started.push(server);
      return server;
    },
    async close() {
      await Promise.all(started.map(({ stop }) => stop('SIGKILL')));
      await identity.close();
      await folder.remove();
    },
  };
}

/** The `Authorization` line of an account's request. */
export const bearer = (subject: string) => `Authorization: Bearer ${tokenOf(subject)}`;

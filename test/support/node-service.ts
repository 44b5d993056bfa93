// The built server with its own folder and identity provider, for tests of the Node host: sockets,
// signals, log lines, files.

import { beforeEach } from 'vitest';
import { replyOf } from './contract.js';
import { asAccount, openIdentityStub, tokenOf } from './identity-stub.js';
import { type LaunchOptions, type ServerProcess, startServer } from './server-process.js';
import { openFolder } from './test-folder.js';

export type NodeService = Awaited<ReturnType<typeof openNodeService>>;

export async function openNodeService() {
  const { path: folder, at, remove } = await openFolder();
  const identity = await openIdentityStub();
  const started: ServerProcess[] = [];
  const database = at('service.db');
  /** The environment of every start; a test may add to it. */
  const environment: Readonly<Record<string, string>> = {
    DATABASE_URL: `file:${database}`,
    AUTH_USERINFO_URL: identity.url,
  };
  return {
    ...{ folder, at, database, identity, environment },
    /** Starts `node dist/server.js` on the folder. Closing the service kills a server that still runs. */
    async start(more: Readonly<Record<string, string>> = {}, options: LaunchOptions = {}) {
      const server = await startServer({ ...environment, ...more }, options);
      started.push(server);
      return server;
    },
    async close() {
      await Promise.all(started.map(({ stop }) => stop('SIGKILL')));
      await identity.close();
      await remove();
    },
  };
}

/** A service of its own for each test of a file. */
export function nodeService(): NodeService {
  const service = {} as NodeService;
  beforeEach(async () => {
    Object.assign(service, await openNodeService());
    return service.close;
  });
  return service;
}

/** The `Authorization` line of an account's request. */
export const bearer = (subject: string) => `Authorization: Bearer ${tokenOf(subject)}`;

/** Creates a customer of an account, on a connection of its own. */
export async function createCustomer({ origin }: { readonly origin: string }, more: object = {}) {
  const body = JSON.stringify({ name: 'Neema', phone: '1', ...more });
  const headers = { ...asAccount('neema'), Connection: 'close' };
  return replyOf(await fetch(`${origin}/api/v1/customers`, { method: 'POST', headers, body }));
}

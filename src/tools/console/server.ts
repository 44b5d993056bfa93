// Runs the console's HTTP server with timeouts. It closes without waiting for connections.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Log } from '../../core/log.js';
import { addressProblem } from '../../hosts/settings/addresses.js';
import type { ConsoleSettings } from '../../hosts/settings.js';
import { createOperatorClient } from '../../operator-client.js';
import { boundedFetch } from '../data/service-client.js';
import { consoleApp } from './app.js';
import { codeCredentials, passwordCredentials } from './credentials.js';
import { Sessions } from './sessions.js';

const SERVER_OPTIONS = {
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  /** Node's default of 30 s would let slow requests hold their connections that long. */
  connectionsCheckingInterval: 500,
  /** For the longest URL of a page: a subject and an id, percent-encoded. */
  maxHeaderSize: 32_768,
} as const;
/** Also closes a connection whose client stops reading. */
const IDLE_MAX_MS = 120_000;
const CONNECTIONS_MAX = 100;
/** A person doesn't wait longer for a page. */
const REQUEST_TIMEOUT_MS = 10_000;

export interface ConsoleOptions {
  readonly settings: ConsoleSettings;
  /** Where `console.css` is. */
  readonly assetFolder: URL;
  readonly log: Log;
  /** Called with each sign-in code if no password is set. */
  readonly printCode: (code: string) => void;
}

/** Resolves when the port is open, with the console's `http://ADDRESS:PORT`. Rejects if the address can't be used. */
export async function startConsole(options: ConsoleOptions) {
  const { settings, assetFolder, log, printCode } = options;
  const { host, serviceUrl, opsUrl, adminKey, passwordHash } = settings;
  const style = readFileSync(new URL('console.css', assetFolder), 'utf8');
  const server = createServer(SERVER_OPTIONS);
  Object.assign(server, { maxConnections: CONNECTIONS_MAX, timeout: IDLE_MAX_MS });
  await new Promise<void>((resolve, reject) => {
    // Not removed later: a connection that can't be accepted must not end the console.
    server.on('error', (error) => {
      const reason = addressProblem(error, 'CONSOLE_');
      reject(new Error(`the console cannot listen on ${host}:${settings.port}: ${reason}`));
    });
    server.listen(settings.port, host, resolve);
  });
  const { address, family, port } = server.address() as AddressInfo;
  const app = consoleApp({
    address: { origin: settings.origin, port },
    client: createOperatorClient({
      baseUrl: serviceUrl,
      adminKey,
      timeoutMs: REQUEST_TIMEOUT_MS,
      fetch: boundedFetch,
    }),
    opsUrl,
    sessions: new Sessions(),
    credentials:
      passwordHash === undefined ? codeCredentials(printCode) : passwordCredentials(passwordHash),
    style,
    log,
  });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  server.on('request', (request, response) => void listener(request, response));
  return {
    origin: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

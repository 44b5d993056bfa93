// Runs the console as a server: listens with timeouts, builds its parts from the settings, and
// stops without waiting for connections.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Log } from '../../core/log.js';
import { addressProblem } from '../../hosts/settings/addresses.js';
import type { ConsoleSettings } from '../../hosts/settings.js';
import { consoleApp } from './app.js';
import { codeCredentials, passwordCredentials } from './credentials.js';
import { serviceClient } from './service.js';
import { Sessions } from './sessions.js';

const SERVER_OPTIONS = {
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  /** Node's default of 30 s would let slow requests hold their connections that long. */
  connectionsCheckingInterval: 500,
  /** The longest address of a page: a subject and an id, percent-encoded. */
  maxHeaderSize: 32_768,
} as const;
/** An idle connection is closed, for example when its client stops reading. */
const SILENCE_MAX_MS = 120_000;
const CONNECTIONS_MAX = 100;

export interface ConsoleOptions {
  readonly settings: ConsoleSettings;
  /** Where `console.css` is. */
  readonly assetFolder: URL;
  readonly log: Log;
  /** How long a page waits for the service, in milliseconds. */
  readonly answerMaxMs?: number;
  /** Gets each sign-in code, if no password is set. */
  readonly tellCode: (code: string) => void;
}

export interface RunningConsole {
  /** `http://ADDRESS:PORT` */
  readonly origin: string;
  close(): Promise<void>;
}

/** Resolves when the port is open. Rejects if the address can't be used. */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { settings, assetFolder, answerMaxMs, log, tellCode } = options;
  const { host, serviceUrl, opsUrl, adminKey, passwordHash } = settings;
  const style = readFileSync(new URL('console.css', assetFolder), 'utf8');
  const server = createServer(SERVER_OPTIONS);
  Object.assign(server, { maxConnections: CONNECTIONS_MAX, timeout: SILENCE_MAX_MS });
  await new Promise<void>((resolve, reject) => {
    // It stays: a connection that can't be accepted must not end the console.
    server.on('error', (error) => {
      const reason = addressProblem(error, 'CONSOLE_');
      reject(new Error(`the console cannot listen on ${host}:${settings.port}: ${reason}`));
    });
    server.listen(settings.port, host, resolve);
  });
  const { address, family, port } = server.address() as AddressInfo;
  const app = consoleApp({
    address: { origin: settings.origin, port },
    client: serviceClient({ baseUrl: serviceUrl, adminKey }, answerMaxMs),
    opsUrl,
    sessions: new Sessions(),
    credentials:
      passwordHash === undefined ? codeCredentials(tellCode) : passwordCredentials(passwordHash),
    style,
    log,
  });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  server.on('request', (request, response) => void listener(request, response));
  return {
    origin: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

// Runs the console as a server: builds its parts from the settings, listens with timeouts, and
// stops without waiting for connections.

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Log } from '../../core/log.js';
import { addressProblem } from '../../hosts/settings/addresses.js';
import type { ConsoleSettings } from '../../hosts/settings.js';
import { consoleApp } from './app.js';
import { codeCredentials, passwordCredentials } from './credentials.js';
import type { ConsoleParts } from './parts.js';
import { SentForms } from './sent-forms.js';
import { serviceClient } from './service.js';
import { Sessions, Tries } from './sessions.js';

const TIMEOUTS = {
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  /** Node's default of 30 s would let slow requests hold their connections that long. */
  connectionsCheckingInterval: 500,
} as const;
/** An idle connection is closed, for example when its client stops reading. */
const SILENCE_MAX_MS = 120_000;
const CONNECTIONS_MAX = 100;
/** The longest address of a page: a subject and an id, percent-encoded. */
const HEADERS_MAX_BYTES = 32_768;
const VERSION_CHARACTERS = 8;
const FORM_ID_BYTES = 12;
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0b6b58"/><path d="M5 17V11m4.7 6V7m4.6 10v-4M19 17V9" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>`;

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
  const { settings } = options;
  let { port } = settings;
  const parts = partsOf(options, () => port);
  const server = serverFor(parts);
  await new Promise<void>((resolve, reject) => {
    const { host, port } = settings;
    // It stays: a connection that can't be accepted must not end the console.
    server.on('error', (error) => {
      const reason = addressProblem(error, 'CONSOLE_');
      reject(new Error(`the console cannot listen on ${host}:${port}: ${reason}`));
    });
    server.listen(port, host, resolve);
  });
  const { address, family, port: opened } = server.address() as AddressInfo;
  port = opened;
  parts.credentials.begin();
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

function partsOf(
  { settings, assetFolder, answerMaxMs, log, tellCode }: ConsoleOptions,
  port: () => number,
): ConsoleParts {
  const { serviceUrl, opsUrl, adminKey, passwordHash } = settings;
  const assets = assetsIn(assetFolder);
  const hash = createHash('sha256').update(JSON.stringify(assets)).digest('hex');
  const now = () => performance.now();
  return {
    address: { origin: settings.origin, port },
    client: serviceClient({ baseUrl: serviceUrl, adminKey }, answerMaxMs),
    serviceUrl,
    opsUrl,
    sessions: new Sessions(now, randomBytes),
    tries: new Tries(now),
    credentials:
      passwordHash === undefined
        ? codeCredentials(randomBytes, tellCode)
        : passwordCredentials(passwordHash),
    sent: new SentForms(),
    assets,
    assetVersion: hash.slice(0, VERSION_CHARACTERS),
    formId: () => randomBytes(FORM_ID_BYTES).toString('base64url'),
    log,
  };
}

function serverFor(parts: ConsoleParts): Server {
  const listener = getRequestListener(consoleApp(parts).fetch, { overrideGlobalObjects: false });
  const options = { ...TIMEOUTS, maxHeaderSize: HEADERS_MAX_BYTES };
  const server = createServer(options, (request, response) => void listener(request, response));
  return Object.assign(server, { maxConnections: CONNECTIONS_MAX, timeout: SILENCE_MAX_MS });
}

function assetsIn(folder: URL): ConsoleParts['assets'] {
  const style = readFileSync(new URL('console.css', folder), 'utf8');
  return {
    '/console.css': { type: 'text/css; charset=utf-8', text: style },
    '/icon.svg': { type: 'image/svg+xml', text: ICON },
  };
}

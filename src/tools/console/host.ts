// The console as a server on this machine: its parts from its settings, a port
// with time-outs, and an end that waits for nobody.

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Log } from '../../core/log.js';
import { Connections } from '../../hosts/node/connections.js';
import { addressProblem } from '../../hosts/settings/address-problem.js';
import type { ConsoleSettings } from '../../hosts/settings/console-settings.js';
import type { CommandDependencies } from '../program/command-dependencies.js';
import { Accounts } from './account-list.js';
import { consoleApp } from './app.js';
import { codeCredentials, passwordCredentials } from './credentials.js';
import { type ErasureSettings, Erasures } from './erasures.js';
import { failureOf } from './failure-page.js';
import { formatsFor } from './formats.js';
import { ICON } from './icon.js';
import { OperationsPort } from './operations-port.js';
import type { Asset, ConsoleParts } from './parts.js';
import { ConsoleService, isNotFound } from './service.js';
import { Sessions, Tries } from './sessions.js';
import { Watch } from './watch.js';

const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 60_000;
/** Node's default of 30 s would let late heads and bodies hold their connections for so long. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;
/** For a whole answer, which may be the download of a large account: an hour. */
const ANSWER_WRITE_MAX_MS = 3_600_000;
const CONNECTIONS_MAX = 100;
const VERSION_CHARACTERS = 8;
/** The longest address of a page: a subject and an id, percent-encoded. */
const HEADERS_MAX_BYTES = 32_768;

export interface ConsoleOptions {
  readonly settings: ConsoleSettings;
  readonly erasure: ErasureSettings;
  /** Where `console.css` and `page-script.js` are. */
  readonly assetFolder: URL;
  readonly log: Log;
  /** How long a page waits for the service. */
  readonly answerMaxMs?: number;
  /** Gets each code for a sign-in, where no password is set. */
  readonly tellCode: (code: string) => void;
  /** Of the pages, in milliseconds since 1970, UTC. Default: this machine's. */
  readonly clock?: () => number;
}

export interface RunningConsole {
  /** `http://ADDRESS:PORT`, with the port that was picked. */
  readonly origin: string;
  close(): Promise<void>;
}

/** Resolves when the port is open. Rejects where the address cannot be had. */
export async function startConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { settings } = options;
  const ended = new AbortController();
  let port = settings.port;
  const parts = partsOf(options, () => port, ended.signal);
  const { server, connections } = serverFor(parts);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(settings, error)));
    server.listen(settings.port, settings.host, resolve);
  });
  const address = server.address() as AddressInfo;
  port = address.port;
  parts.credentials.begin();
  parts.watch.start();
  void tellIfRefused(parts);
  return {
    origin: originOf(address),
    async close() {
      ended.abort();
      parts.watch.stop();
      // Records that an erasure has read do not stay on the disk.
      await parts.erasures.ended();
      await new Promise<void>((resolve) => {
        connections.stop();
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** A wrong key, or an address without the administration API, is said now and not after the sign-in. */
async function tellIfRefused({ service, log }: ConsoleParts): Promise<void> {
  try {
    await service.client.health();
  } catch (error) {
    const isElsewhere = isNotFound(error);
    const { sentence, hint } = isElsewhere
      ? {
          sentence: 'At this address is no administration API.',
          hint: `SERVICE_URL is ${service.url}; it ends in /api/v1. The shipped proxies answer 404 to the administration API from outside: run the console on the service’s machine.`,
        }
      : failureOf(error, { serviceUrl: service.url, isWrite: false });
    log.warn('console_service_not_usable', { hint: `${sentence} ${hint}` });
  }
}

function cannotListen({ host, port }: ConsoleSettings, error: Error): Error {
  const reason = addressProblem(error, 'CONSOLE_') ?? error.message;
  return new Error(`the console cannot listen on ${host}:${port}: ${reason}`, { cause: error });
}

function partsOf(
  { settings, erasure, assetFolder, answerMaxMs, log, tellCode, clock = Date.now }: ConsoleOptions,
  port: () => number,
  interrupted: AbortSignal,
): ConsoleParts {
  const dependencies: CommandDependencies = {
    environment: {},
    out() {},
    err: (text) => log.info('console_work', { text: text.trim() }),
    isTerminal: false,
    interrupted,
    now: Date.now,
    randomBytes,
    version: 'console',
  };
  const service = new ConsoleService(settings, dependencies, answerMaxMs);
  const operations = new OperationsPort({
    url: settings.opsUrl,
    fetchText,
    post: settings.opsTakesKey ? postWith(settings.adminKey) : undefined,
    clock,
  });
  const assets = assetsIn(assetFolder);
  const formats = formatsFor('en-TZ', settings.timeZone);
  const hash = createHash('sha256').update(JSON.stringify(assets)).digest('hex');
  const now = () => performance.now();
  return {
    address: { origin: settings.origin, port },
    service,
    accounts: new Accounts(service, Date.now),
    watch: new Watch({
      client: service.client,
      clock,
      sampleToo: () => operations.facts(),
    }),
    operations,
    erasures: new Erasures(erasure, service.patient, dependencies, formats.time),
    sessions: new Sessions({ now, randomBytes }),
    tries: new Tries(now),
    credentials:
      settings.passwordHash === undefined
        ? codeCredentials(randomBytes, tellCode)
        : passwordCredentials(settings.passwordHash),
    formats,
    assets,
    assetVersion: hash.slice(0, VERSION_CHARACTERS),
    settings: () => settingRows(settings, erasure, port()),
    log,
    clock,
  };
}

function serverFor(parts: ConsoleParts): { server: Server; connections: Connections } {
  const app = consoleApp(parts);
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
    },
    (request, response) =>
      connections.add({ request, response, begin: () => void listener(request, response) }),
  );
  server.maxConnections = CONNECTIONS_MAX;
  const connections = new Connections(server, undefined, ANSWER_WRITE_MAX_MS);
  return { server, connections };
}

function assetsIn(folder: URL): Record<string, Asset> {
  const text = (name: string) => readFileSync(new URL(name, folder), 'utf8');
  return {
    '/console.css': { type: 'text/css; charset=utf-8', text: text('console.css') },
    '/page-script.js': { type: 'text/javascript; charset=utf-8', text: text('page-script.js') },
    '/icon.svg': { type: 'image/svg+xml', text: ICON },
  };
}

/** The settings on the page of health, never the key or the hash. */
function settingRows(
  settings: ConsoleSettings,
  { ledger, backups }: ErasureSettings,
  port: number,
): readonly (readonly [string, string])[] {
  const [hidden, unset] = ['set (hidden)', 'unset'];
  return [
    ['SERVICE_URL', settings.serviceUrl],
    ['ADMIN_API_KEY', hidden],
    ['CONSOLE_HOST', settings.host],
    ['CONSOLE_PORT', String(port)],
    ['CONSOLE_ORIGIN', settings.origin ?? unset],
    [
      'CONSOLE_PASSWORD_HASH',
      settings.passwordHash === undefined ? 'unset: each sign-in takes a code' : hidden,
    ],
    ['CONSOLE_OPS_URL', settings.opsUrl ?? unset],
    ['CONSOLE_TIME_ZONE', settings.timeZone],
    ['BACKUP_DIR', backups?.folder ?? unset],
    ['ERASURE_LEDGER', ledger ?? unset],
  ];
}

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal, redirect: 'error' });
  return response.text();
}

/** The key follows no redirect. */
function postWith(adminKey: string): (url: string, signal: AbortSignal) => Promise<number> {
  const headers = { 'X-Service-Admin-Key': adminKey };
  return async (url, signal) => {
    const response = await fetch(url, { method: 'POST', headers, signal, redirect: 'error' });
    await response.body?.cancel();
    return response.status;
  };
}

function originOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

// The port for the other processes of the fleet. It answers calls on accounts that this process
// holds, and refuses everything else.

import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../../core/log.js';
import { ThrottledLog } from '../../core/throttled-log.js';
import { Admission } from '../../handler.js';
import { shardOf } from '../../storage/postgres/shards.js';
import type { FleetSettings } from '../settings/fleet-settings.js';
import { answerCall, type Reply, type SentCall } from './account-call.js';
import { AnsweredCalls } from './answered-calls.js';
import type { Fleet } from './fleet.js';
import { isOfMemory } from './fleet-account.js';
import {
  type FleetIdentity,
  HEADERS,
  NOT_OF_THIS_FLEET,
  PROTOCOL,
  UPGRADE,
} from './internal-call.js';

const QUIET_MS = 1_000;
const QUIET_WAITS_MAX = 5;

const NO_CALL_OF_THE_FLEET = 'this port takes calls of the fleet alone';

export interface InternalPortOptions {
  readonly settings: Pick<FleetSettings, 'host' | 'port' | 'tls'>;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

/** Opens before the fleet is joined, because its address stands in the process's row. */
export class InternalPort {
  readonly #log: ThrottledLog;
  /** One account's share at its holder, whatever process its requests come through. */
  readonly #admission = new Admission();
  readonly #server: ReturnType<typeof createServer>;
  /** Of the other processes. */
  readonly #connections = new Set<Duplex>();
  #calls = 0;
  #serving: { readonly fleet: Fleet; readonly identity: FleetIdentity } | undefined;

  private constructor(options: InternalPortOptions) {
    this.#log = new ThrottledLog(options.log, options.clock);
    const { tls } = options.settings;
    this.#server =
      tls === undefined
        ? createServer()
        : createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true });
    this.#server.on('request', (incoming, outgoing) => {
      // A connection that is closed with a body on its way would cut the answer off.
      incoming.resume();
      const reason = this.#refusalOf(incoming) ?? NO_CALL_OF_THE_FLEET;
      this.#tellRefusal(incoming, reason);
      outgoing.writeHead(NOT_OF_THIS_FLEET).end(reason);
    });
    this.#server.on('upgrade', (incoming, socket, first) => this.#open(incoming, socket, first));
  }

  /** Rejects where the address cannot be listened on. */
  static async open(options: InternalPortOptions): Promise<InternalPort> {
    const port = new InternalPort(options);
    const { host, port: number } = options.settings;
    await new Promise<void>((resolve, reject) => {
      port.#server.once('error', reject);
      port.#server.listen(number, host, resolve);
    });
    return port;
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  serve(fleet: Fleet, identity: FleetIdentity): void {
    this.#serving = { fleet, identity };
  }

  /**
   * Resolves when no call has come for a second: every other process has seen by then that this
   * one holds nothing. A connection that is closed earlier may have a call on its way.
   */
  async quiet(): Promise<void> {
    for (let waits = 0; waits < QUIET_WAITS_MAX; waits++) {
      const before = this.#calls;
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      if (this.#calls === before) return;
    }
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
      for (const connection of this.#connections) connection.destroy();
    });
  }

  #open(incoming: IncomingMessage, socket: Duplex, first: Buffer): void {
    socket.on('error', () => {});
    const reason = this.#refusalOf(incoming);
    if (reason !== undefined) {
      this.#tellRefusal(incoming, reason);
      const length = `content-length: ${Buffer.byteLength(reason)}`;
      const head = `HTTP/1.1 ${NOT_OF_THIS_FLEET} Forbidden\r\nconnection: close\r\n${length}`;
      socket.end(`${head}\r\n\r\n${reason}`);
      return;
    }
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
    incoming.socket.setNoDelay(true);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${UPGRADE}\r\n\r\n`,
    );
    const process = String(incoming.headers[HEADERS.process]);
    const isDisconnected = () => socket.destroyed;
    new AnsweredCalls(socket, first, {
      answer: (sent, body) => this.#answer(sent, body, process, isDisconnected),
      onError: (error) => this.#log.error('fleet_call_failed', error, {}),
    });
  }

  #tellRefusal({ socket }: IncomingMessage, reason: string): void {
    this.#log.warn('fleet_call_refused', { reason, from: socket.remoteAddress ?? '' });
  }

  /** Why a connection is not taken; undefined where it is. */
  #refusalOf({ headers }: IncomingMessage): string | undefined {
    const serving = this.#serving;
    if (serving === undefined) return 'this process has not joined its fleet yet';
    if (!isEqual(headers[HEADERS.key], serving.identity.key)) {
      return 'the fleet key is another one; FLEET_KEY must be the same in every process';
    }
    if (headers.upgrade !== UPGRADE) return NO_CALL_OF_THE_FLEET;
    if (headers[HEADERS.protocol] !== PROTOCOL) {
      return `this process speaks version ${PROTOCOL} of the internal calls, the other one version ${headers[HEADERS.protocol]}; end the deployment`;
    }
    if (headers[HEADERS.database] !== serving.identity.database) {
      return 'this process uses another database; DATABASE_URL must name the same one in every process';
    }
    return undefined;
  }

  /** Undefined where nothing was done. `process`: id of the one that is meant. */
  async #answer(
    { owner, actor, call }: SentCall,
    body: string,
    process: string,
    isDisconnected: () => boolean,
  ): Promise<Reply | undefined> {
    this.#calls++;
    const fleet = this.#serving?.fleet;
    if (fleet === undefined || process !== fleet.id) return undefined;
    const held = () => fleet.routeOf(shardOf(owner))?.held;
    return this.#admission.run(owner, isDisconnected, async () => {
      const holding = held();
      if (holding === undefined) return undefined;
      const records = holding.records.account(owner, { actor, isDisconnected });
      const reply = await answerCall(records, call, body);
      return isOfMemory(reply, call) && held() !== holding ? undefined : reply;
    });
  }
}

function isEqual(given: string | string[] | undefined, key: string): boolean {
  const [a, b] = [Buffer.from(String(given ?? '')), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}

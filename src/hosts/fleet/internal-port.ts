// The port for the other processes of the fleet. It answers calls on accounts that this process
// holds, and refuses everything else.

import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../core/log.js';
import { ThrottledLog } from '../../core/throttled-log.js';
import { Admission } from '../../handler.js';
import { shardOf } from '../../storage/postgres/shards.js';
import type { FleetSettings } from '../settings/fleet-settings.js';
import { answerCall, piecesOf, type Reply, type SentCall } from './account-call.js';
import type { Fleet } from './fleet.js';
import { isOfMemory } from './fleet-account.js';
import {
  type FleetIdentity,
  HEADERS,
  NOT_OF_THIS_FLEET,
  NOT_THE_HOLDER,
  PATH,
  PROTOCOL,
} from './internal-call.js';

/** A body of 1 MiB, and the line before it with a long subject. */
const CALL_MAX_BYTES = 2 * 1_048_576;

const QUIET_MS = 1_000;
const QUIET_WAITS_MAX = 5;

/** A longer reply is sent in pieces. */
const WHOLE_MAX_CHARACTERS = 65_536;

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
  #calls = 0;
  #serving: { readonly fleet: Fleet; readonly identity: FleetIdentity } | undefined;

  private constructor(options: InternalPortOptions) {
    this.#log = new ThrottledLog(options.log, options.clock);
    const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.#answer(incoming, outgoing).catch((error) => {
        this.#log.error('fleet_call_failed', error, {});
        outgoing.destroy();
      });
    };
    const { tls } = options.settings;
    this.#server =
      tls === undefined
        ? createServer(answer)
        : createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: true }, answer);
    this.#server.keepAliveTimeout = 60_000;
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
    });
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    this.#calls++;
    const refusal = this.#refusalOf(incoming);
    if (refusal !== undefined) {
      // A connection that is closed with a body on its way would cut the answer off.
      incoming.resume();
      outgoing.writeHead(NOT_OF_THIS_FLEET).end(refusal);
      this.#log.warn('fleet_call_refused', {
        reason: refusal,
        from: incoming.socket.remoteAddress ?? '',
      });
      return;
    }
    const bytes = await bytesOf(incoming);
    const lineEnd = bytes?.indexOf(0x0a) ?? -1;
    if (bytes === undefined || lineEnd === -1) {
      outgoing.writeHead(400, { connection: 'close' }).end();
      return;
    }
    const sent = JSON.parse(bytes.toString('utf8', 0, lineEnd)) as SentCall;
    const reply = await this.#replyTo(sent, bytes.toString('utf8', lineEnd + 1), incoming);
    if (reply === undefined) outgoing.writeHead(NOT_THE_HOLDER).end();
    else await write(reply, outgoing);
  }

  /** Why a call is not taken; undefined where it is. */
  #refusalOf({ method, url, headers }: IncomingMessage): string | undefined {
    const serving = this.#serving;
    if (serving === undefined) return 'this process has not joined its fleet yet';
    if (!isEqual(headers[HEADERS.key], serving.identity.key)) {
      return 'the fleet key is another one; FLEET_KEY must be the same in every process';
    }
    if (method !== 'POST' || url !== PATH) return 'this port takes calls of the fleet alone';
    if (headers[HEADERS.protocol] !== PROTOCOL) {
      return `this process speaks version ${PROTOCOL} of the internal calls, the other one version ${headers[HEADERS.protocol]}; end the deployment`;
    }
    if (headers[HEADERS.database] !== serving.identity.database) {
      return 'this process uses another database; DATABASE_URL must name the same one in every process';
    }
    return undefined;
  }

  /** Undefined where nothing was done. */
  async #replyTo(
    { owner, actor, call }: SentCall,
    body: string,
    { socket, headers }: IncomingMessage,
  ): Promise<Reply | undefined> {
    const fleet = this.#serving?.fleet;
    if (fleet === undefined || headers[HEADERS.process] !== fleet.id) return undefined;
    const isDisconnected = () => socket.destroyed;
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

/** A short reply in one piece, with its length; a long one as it is made. */
async function write({ head, rows }: Reply, outgoing: ServerResponse): Promise<void> {
  let text = `${JSON.stringify(head)}\n`;
  let isStreamed = false;
  for await (const piece of piecesOf(rows)) {
    text += piece;
    if (text.length < WHOLE_MAX_CHARACTERS) continue;
    if (!isStreamed) outgoing.writeHead(200);
    isStreamed = true;
    if (outgoing.destroyed) return;
    if (!outgoing.write(text)) await drained(outgoing);
    text = '';
  }
  const rest = Buffer.from(text);
  if (!isStreamed) outgoing.writeHead(200, { 'content-length': rest.length });
  outgoing.end(rest);
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('drain', resolve);
    outgoing.once('close', resolve);
  });
}

/** Undefined where there are too many. */
async function bytesOf(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += (chunk as Buffer).length;
    if (length > CALL_MAX_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

function isEqual(given: string | string[] | undefined, key: string): boolean {
  const [a, b] = [Buffer.from(String(given ?? '')), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}

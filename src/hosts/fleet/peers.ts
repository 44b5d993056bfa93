// Calls to the other processes of the fleet.

import { Agent, type IncomingMessage, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Log } from '../../core/log.js';
import { ThrottledLog } from '../../core/throttled-log.js';
import type { FleetProcess } from '../../storage/postgres/fleet-table.js';
import type { FleetTls } from '../settings/fleet-settings.js';
import type { Reply, SentCall, SentReply } from './account-call.js';
import {
  type FleetIdentity,
  HEADERS,
  NOT_OF_THIS_FLEET,
  NOT_THE_HOLDER,
  PATH,
  PROTOCOL,
} from './internal-call.js';

/** To one process. */
const CONNECTIONS_MAX = 256;
/** A commit at the holder may wait for Postgres for 10 s. */
const ANSWER_MAX_MS = 15_000;
const UNREAD_MAX_MS = 30_000;

/** `lost`: the call was sent, and nobody knows what became of it. */
export type Asked =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'nothingDone' | 'lost' };

export interface PeersOptions {
  readonly identity: FleetIdentity;
  readonly tls: FleetTls | undefined;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
}

export class Peers {
  readonly #options: PeersOptions;
  readonly #agent: Agent;
  readonly #log: ThrottledLog;
  /** How to end the calls that are under way, by process. */
  readonly #underWay = new Map<string, Set<() => void>>();

  constructor(options: PeersOptions) {
    this.#options = options;
    const kept = { keepAlive: true, maxSockets: CONNECTIONS_MAX };
    this.#agent =
      options.tls === undefined ? new Agent(kept) : new TlsAgent({ ...kept, ...options.tls });
    this.#log = new ThrottledLog(options.log, options.clock);
  }

  /** Ends the calls to processes that have gone: nobody waits for a machine that is stopped or cut off. */
  sweep(processes: readonly FleetProcess[]): void {
    const living = new Set(processes.map(({ id }) => id));
    for (const [id, calls] of this.#underWay) {
      if (living.has(id)) continue;
      for (const end of calls) end();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  ask(peer: FleetProcess, call: SentCall, body: string): Promise<Asked> {
    return new Promise((resolve) => {
      const { identity, tls } = this.#options;
      const sent = Buffer.from(`${JSON.stringify(call)}\n${body}`);
      const asking = (tls === undefined ? request : tlsRequest)(new URL(PATH, peer.url), {
        method: 'POST',
        agent: this.#agent,
        headers: {
          [HEADERS.key]: identity.key,
          [HEADERS.protocol]: PROTOCOL,
          [HEADERS.database]: identity.database,
          [HEADERS.process]: peer.id,
          'content-length': sent.length,
        },
      });
      /** A call that never had a connection was never sent. */
      let isReached = false;
      const give = (asked: Asked) => {
        clearTimeout(timer);
        this.#forget(peer.id, end);
        resolve(asked);
      };
      const end = () => asking.destroy(new Error('the process has gone'));
      const timer = setTimeout(() => asking.destroy(new Error('no answer in time')), ANSWER_MAX_MS);
      // Of a long reply that nobody reads on.
      asking.setTimeout(UNREAD_MAX_MS, end);
      this.#remember(peer.id, end);
      asking.on('socket', (socket) => {
        if (asking.reusedSocket) isReached = true;
        else socket.once('connect', () => (isReached = true));
      });
      asking.on('error', () => give({ kind: isReached ? 'lost' : 'nothingDone' }));
      asking.on('response', (response) => {
        this.#read(response, peer).then(give, () => give({ kind: 'lost' }));
      });
      asking.end(sent);
    });
  }

  async #read(response: IncomingMessage, peer: FleetProcess): Promise<Asked> {
    const { statusCode } = response;
    if (statusCode === 200) return { kind: 'reply', reply: await replyIn(response) };
    const text = await textOf(response);
    if (statusCode === NOT_OF_THIS_FLEET) {
      this.#log.error('fleet_process_refuses', text, { process: peer.url });
      return { kind: 'nothingDone' };
    }
    return { kind: statusCode === NOT_THE_HOLDER ? 'nothingDone' : 'lost' };
  }

  #remember(id: string, end: () => void): void {
    const calls = this.#underWay.get(id) ?? new Set();
    this.#underWay.set(id, calls.add(end));
  }

  #forget(id: string, end: () => void): void {
    const calls = this.#underWay.get(id);
    calls?.delete(end);
    if (calls?.size === 0) this.#underWay.delete(id);
  }
}

/** A short reply is read whole; the rows of a long one are read as they are asked for. */
async function replyIn(response: IncomingMessage): Promise<Reply> {
  if (response.headers['content-length'] !== undefined) {
    const text = await textOf(response);
    const end = text.indexOf('\n');
    const rows = text.slice(end + 1);
    return { head: headIn(text, end), rows: rows === '' ? [] : [rows] };
  }
  const texts = response.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  let received = '';
  while (!received.includes('\n')) {
    const { done, value } = await texts.next();
    if (done) throw new Error('the reply broke off');
    received += value;
  }
  const end = received.indexOf('\n');
  return { head: headIn(received, end), rows: restOf(received.slice(end + 1), texts) };
}

function headIn(text: string, end: number): SentReply {
  return JSON.parse(text.slice(0, end));
}

async function* restOf(first: string, texts: AsyncIterator<string>): AsyncGenerator<string> {
  yield first;
  for (let next = await texts.next(); !next.done; next = await texts.next()) yield next.value;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

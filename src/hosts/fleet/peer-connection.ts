// One connection to another process of the fleet, as its caller has it.

import { request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { text as textOf } from 'node:stream/consumers';
import type { FleetProcess } from '../../storage/postgres/fleet-table.js';
import type { FleetTls } from '../settings/fleet-settings.js';
import type { Reply, SentCall } from './account-call.js';
import { type Frame, Frames } from './frames.js';
import { ASK, type FleetIdentity, HEADERS, PROTOCOL, REPLY, UPGRADE } from './internal-call.js';

/** Time is counted in beats of this connection: a process that was stopped goes on where it was. */
const BEAT_MS = 1_000;
/** A connection that is not open by then is given up. */
const OPEN_BEATS = 2;
/** The other process answers a ping at once, unless it hangs or the way to it is cut. */
const SILENT_BEATS = 4;
/** A commit at the holder may wait for Postgres for 10 s. */
const ANSWER_BEATS = 15;
/** Then the numbers begin at 1 again. */
const CALL_MAX = 2 ** 32 - 1;
const NO_CALL = 0;

/** `lost`: the call was sent, and nobody knows what became of it. */
export type Asked =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'nothingDone' | 'lost' };

export interface ConnectionOptions {
  readonly identity: FleetIdentity;
  readonly tls: FleetTls | undefined;
  /** Called with the reason where the other process does not let this one in. */
  readonly onRefused: (reason: string) => void;
  readonly onClosed: () => void;
}

interface UnderWay {
  beats: number;
  /** Undefined: no answer came. */
  readonly give: (frame: Pick<Frame, 'kind' | 'text'> | undefined) => void;
}

const NOTHING_DONE = { kind: REPLY.notTheHolder, text: '' };

export class PeerConnection {
  readonly #options: ConnectionOptions;
  readonly #calls = new Map<number, UnderWay>();
  readonly #timer: NodeJS.Timeout;
  readonly #asking: ReturnType<typeof request>;
  #frames: Frames | undefined;
  /** What is sent as soon as the connection is open. */
  #unsent: Frame[] = [];
  #end: () => void;
  #isClosed = false;
  #lastCall = 0;
  #silentBeats = 0;

  constructor(peer: FleetProcess, options: ConnectionOptions) {
    this.#options = options;
    const { identity, tls } = options;
    this.#asking = (tls === undefined ? request : tlsRequest)(new URL(peer.url), {
      agent: false,
      ...tls,
      headers: {
        connection: 'upgrade',
        upgrade: UPGRADE,
        [HEADERS.key]: identity.key,
        [HEADERS.protocol]: PROTOCOL,
        [HEADERS.database]: identity.database,
        [HEADERS.process]: peer.id,
      },
    });
    this.#end = () => this.#asking.destroy();
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
    this.#asking.on('error', () => this.close());
    this.#asking.on('response', (response) => {
      textOf(response)
        .then(options.onRefused, () => {})
        .finally(() => this.close());
    });
    this.#asking.on('upgrade', (_response, socket, first) => {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      // Before what this turn of the loop would still send.
      socket.on('end', () => this.close());
      socket.on('close', () => this.close());
      this.#end = () => socket.destroy();
      this.#frames = new Frames(socket, first, (frame) => this.#take(frame));
      for (const waiting of this.#unsent) this.#frames.send(waiting);
      this.#unsent = [];
    });
    this.#asking.end();
  }

  async ask(call: SentCall, body: string): Promise<Asked> {
    this.#lastCall = (this.#lastCall % CALL_MAX) + 1;
    const number = this.#lastCall;
    const frame = await this.#exchange(ASK.call, number, `${JSON.stringify(call)}\n${body}`);
    if (frame?.kind === REPLY.notTheHolder) return { kind: 'nothingDone' };
    if (frame?.kind !== REPLY.last && frame?.kind !== REPLY.part) return { kind: 'lost' };
    const lineEnd = frame.text.indexOf('\n');
    const head = JSON.parse(frame.text.slice(0, lineEnd));
    const first = frame.text.slice(lineEnd + 1);
    if (frame.kind === REPLY.part) {
      return { kind: 'reply', reply: { head, rows: this.#partsFrom(number, first) } };
    }
    return { kind: 'reply', reply: { head, rows: first === '' ? [] : [first] } };
  }

  /** Every call that was sent is lost; nothing was done of the others. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#end();
    const unsent = this.#frames?.unsent ?? this.#unsent;
    for (const { call } of unsent) this.#give(call, NOTHING_DONE);
    for (const call of this.#calls.keys()) this.#give(call, undefined);
    this.#options.onClosed();
  }

  /** The holder makes one part at a time: one that is read slowly holds up no other call. */
  async *#partsFrom(call: number, first: string): AsyncGenerator<string> {
    let isWhole = false;
    try {
      yield first;
      while (!isWhole) {
        const frame = await this.#exchange(ASK.more, call, '');
        isWhole = frame?.kind !== REPLY.part;
        if (frame?.kind === REPLY.part || frame?.kind === REPLY.last) yield frame.text;
        else throw new Error('the reply of the other process broke off');
      }
    } finally {
      if (!isWhole) this.#frames?.send({ kind: ASK.end, call, text: '' });
    }
  }

  /** Sends one frame of the call, and resolves with the next one that comes for it. */
  #exchange(
    kind: number,
    call: number,
    text: string,
  ): Promise<Pick<Frame, 'kind' | 'text'> | undefined> {
    if (this.#isClosed) return Promise.resolve(kind === ASK.call ? NOTHING_DONE : undefined);
    return new Promise((give) => {
      this.#calls.set(call, { give, beats: 0 });
      if (this.#frames === undefined) this.#unsent.push({ kind, call, text });
      else this.#frames.send({ kind, call, text });
    });
  }

  #take({ kind, call, text }: Frame): void {
    this.#silentBeats = 0;
    // Nobody waits for it any more.
    if (!this.#give(call, { kind, text }) && kind === REPLY.part) {
      this.#frames?.send({ kind: ASK.end, call, text: '' });
    }
  }

  #give(call: number, frame: Pick<Frame, 'kind' | 'text'> | undefined): boolean {
    const underWay = this.#calls.get(call);
    this.#calls.delete(call);
    underWay?.give(frame);
    return underWay !== undefined;
  }

  #beat(): void {
    this.#silentBeats++;
    const silentMax = this.#frames === undefined ? OPEN_BEATS : SILENT_BEATS;
    if (this.#silentBeats > silentMax) {
      this.close();
      return;
    }
    this.#frames?.send({ kind: ASK.ping, call: NO_CALL, text: '' });
    for (const [call, underWay] of this.#calls) {
      underWay.beats++;
      if (underWay.beats > ANSWER_BEATS) this.#give(call, undefined);
    }
  }
}

// The hostile clients' process: it does what it is told until the time is over, and reports.

import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '../load/random.js';
import { exchange } from '../service/exchange.js';

/** @typedef {import('./clients.js').Armed} Armed */
/** @typedef {import('./requests.js').Template} Template */
/** @typedef {import('node:net').Socket} Socket */

/**
 * What became of a client's requests. Those that are in no list were sent and not answered.
 * @typedef {object} Report
 * @property {number} sent How many numbers it used up.
 * @property {[number: number, id: string][]} created
 * @property {number[]} refused Numbers of requests that were answered 4xx.
 */

const DROP_EVERY_MS = 50;
const SIP_EVERY_MS = 200;
const VANISHES_WITHIN_MS = 300;
const LEAVING_TOGETHER = 20;
const LEAVE_EVERY_MS = 10;
const REQUESTS_A_WRITE = 64;
/** Delay before a failed connection is retried. */
const AGAIN_MS = 50;

class Client {
  #origin;
  #armed;
  #milliseconds;
  /** Set once no more connections are opened. A flag: a timer may fire before the clock has reached its time. */
  #isOver = false;
  #random;
  #sockets = new Set();
  #turn = 0;
  /** @type {Report} */
  report = { sent: 0, created: [], refused: [] };

  constructor(
    /** @type {string} */ origin,
    /** @type {Armed} */ armed,
    /** @type {number} */ milliseconds,
  ) {
    this.#origin = new URL(origin);
    this.#armed = armed;
    this.#milliseconds = milliseconds;
    this.#random = randomFrom(armed.seed);
  }

  /** Runs until its time is over, and leaves no connection open. */
  async run() {
    const { connections, sends } = this.#armed;
    const agent = new Agent({ keepAlive: true });
    const timer = setTimeout(() => {
      this.#isOver = true;
      agent.destroy();
      void this.#leave();
    }, this.#milliseconds);
    const lives = Array.from({ length: sends === 'each anew' ? 1 : connections }, () =>
      this.#live(agent),
    );
    await Promise.all(lives);
    clearTimeout(timer);
    return this.report;
  }

  /** Not all at once: a bare server of Node, too, stands still for 60 to 120 ms when 2,000 connections end together. */
  async #leave() {
    const sockets = [...this.#sockets];
    for (let first = 0; first < sockets.length; first += LEAVING_TOGETHER) {
      for (const socket of sockets.slice(first, first + LEAVING_TOGETHER)) socket.destroy();
      await delay(LEAVE_EVERY_MS);
    }
  }

  async #live(/** @type {Agent} */ agent) {
    const { sends, reads, ends, everyMs = 10, connections } = this.#armed;
    const isPolite = sends === 'in turn' && reads === 'everything' && ends === 'stays';
    while (!this.#isOver) {
      if (isPolite) await this.#ask(agent);
      else if (sends === 'each anew') {
        if (this.#sockets.size < connections) void this.#connection();
        await delay(everyMs);
      } else await this.#connection();
    }
  }

  /** One request and its answer, which is noted. */
  async #ask(/** @type {Agent} */ agent) {
    const { n, method, path, headers, body } = this.#next();
    const url = this.#origin.origin + path;
    try {
      const { status, text } = await exchange(url, { agent, method, headers, body });
      if (status === 201) this.report.created.push([n, JSON.parse(text).data.id]);
      else if (status >= 400 && status < 500) this.report.refused.push(n);
    } catch {
      await delay(AGAIN_MS);
    }
  }

  /** The next request, with its number. */
  #next() {
    const { requests, first } = this.#armed;
    const template = /** @type {Template} */ (requests[this.#turn++ % requests.length]);
    const n = first + this.report.sent++;
    const fill = (/** @type {string} */ text) => text.replaceAll('{n}', String(n));
    const headers = Object.fromEntries(
      Object.entries(template.headers).map(([name, value]) => [name, fill(value)]),
    );
    const { method, path, body = '' } = template;
    return { n, method, path: fill(path), headers, body: fill(body) };
  }

  /** One connection from its opening to its end. */
  async #connection() {
    const { reads, ends } = this.#armed;
    const { hostname, port } = this.#origin;
    const socket = connect({ host: hostname, port: Number(port) });
    this.#sockets.add(socket);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    /** @type {NodeJS.Timeout[]} */
    const timers = [];
    socket.on('error', () => {});
    if (reads === 'everything') socket.resume();
    else socket.pause();
    if (reads === 'slowly') timers.push(setInterval(() => sip(socket), SIP_EVERY_MS));
    const opened = await Promise.race([once(socket, 'connect').catch(() => undefined), closed]);
    if (ends === 'vanishes') {
      const soon = this.#random.between(0, VANISHES_WITHIN_MS);
      timers.push(setTimeout(() => socket.resetAndDestroy(), soon));
    }
    if (opened !== undefined && !socket.destroyed) this.#send(socket, timers);
    else await delay(AGAIN_MS);
    await closed;
    for (const timer of timers) clearTimeout(timer);
    this.#sockets.delete(socket);
  }

  #send(/** @type {Socket} */ socket, /** @type {NodeJS.Timeout[]} */ timers) {
    const { sends, ends } = this.#armed;
    if (sends === 'in drops') {
      let rest = this.#text();
      const drop = () => {
        if (!socket.writable) return;
        if (rest === '') rest = this.#text();
        socket.write(rest.slice(0, 1), 'latin1');
        rest = rest.slice(1);
      };
      timers.push(setInterval(drop, DROP_EVERY_MS));
      return;
    }
    if (sends === 'at once' || sends === 'in tiny chunks') {
      const pump = () => {
        while (socket.writable && !this.#isOver && socket.write(this.#batch(sends), 'latin1'));
        if (ends === 'half-closes') socket.end();
      };
      socket.on('drain', pump);
      pump();
      return;
    }
    const next = () => {
      if (!socket.writable || this.#isOver) return;
      socket.write(this.#text(), 'latin1');
      if (ends === 'half-closes') socket.end();
    };
    next();
    // The start of each answer triggers the next request.
    if (sends === 'in turn') socket.on('data', next);
  }

  #batch(/** @type {Armed['sends']} */ sends) {
    if (sends === 'in tiny chunks') return this.#text(true);
    let text = this.#text();
    for (let i = 1; i < REQUESTS_A_WRITE && text.length < 16_384; i++) text += this.#text();
    return text;
  }

  #text(inChunks = false) {
    const { method, path, headers, body } = this.#next();
    // A connection for one request ends by itself.
    const more = this.#armed.sends === 'each anew' ? { Connection: 'close' } : {};
    const lines = Object.entries({ Host: this.#origin.host, ...more, ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const start = `${method} ${path} HTTP/1.1\r\n${lines.join('')}`;
    if (body === '') return `${start}\r\n`;
    if (!inChunks) return `${start}Content-Length: ${body.length}\r\n\r\n${body}`;
    const chunks = (body.match(/.{1,2}/gs) ?? []).map((chunk) => `${chunk.length}\r\n${chunk}\r\n`);
    return `${start}Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`;
  }
}

/** Takes what has arrived, once. */
function sip(/** @type {Socket} */ socket) {
  if (!socket.isPaused()) return;
  socket.once('data', () => socket.pause());
  socket.resume();
}

process.on(
  'message',
  async (
    /** @type {{ origin: string, clients: readonly Armed[], milliseconds: number }} */
    { origin, clients, milliseconds },
  ) => {
    const running = clients.map((armed) => new Client(origin, armed, milliseconds).run());
    process.send?.(await Promise.all(running));
  },
);
process.on('disconnect', () => process.exit());
process.send?.('ready');

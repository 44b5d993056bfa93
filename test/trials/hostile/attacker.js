// The hostile clients' process: it does what its argument says until its time is up, and prints how
// many requests it has sent.

import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** @typedef {import('./attacks.js').HostileClient} HostileClient */

const NEW_EVERY_MS = 2;
const SIP_EVERY_MS = 200;
const VANISHES_WITHIN_MS = 300;
const LEAVING_TOGETHER = 20;
const LEAVE_EVERY_MS = 10;
const WRITE_LEAST_CHARACTERS = 4_096;
/** Delay before a failed connection is retried. */
const AGAIN_MS = 50;

let sent = 0;

class Client {
  #origin;
  #client;
  /** A flag: a timer may fire before the clock has reached its time. */
  #isOver = false;
  #sockets = new Set();
  #turn = 0;

  constructor(/** @type {string} */ origin, /** @type {HostileClient} */ client) {
    this.#origin = new URL(origin);
    this.#client = client;
  }

  /** Runs until its time is up, and leaves no connection open. */
  async run(/** @type {number} */ milliseconds) {
    const { connections, sends } = this.#client;
    const reconnects = sends === 'reconnecting';
    const lives = Array.from({ length: reconnects ? 1 : connections }, async () => {
      while (!this.#isOver) {
        if (!reconnects) await this.#connection();
        else if (this.#sockets.size < connections) void this.#connection();
        if (reconnects) await delay(NEW_EVERY_MS);
      }
    });
    await delay(milliseconds);
    this.#isOver = true;
    await this.#leave();
    await Promise.all(lives);
  }

  /** Not all at once: even a bare Node server stalls for 60 to 120 ms when 2,000 connections end together. */
  async #leave() {
    const sockets = [...this.#sockets];
    for (let first = 0; first < sockets.length; first += LEAVING_TOGETHER) {
      for (const socket of sockets.slice(first, first + LEAVING_TOGETHER)) socket.destroy();
      await delay(LEAVE_EVERY_MS);
    }
  }

  /** One connection from its opening to its end. */
  async #connection() {
    const { reads, vanishes = false } = this.#client;
    const socket = connect({ host: this.#origin.hostname, port: Number(this.#origin.port) });
    this.#sockets.add(socket);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    /** @type {NodeJS.Timeout[]} */
    const timers = [];
    socket.on('error', () => {});
    if (reads === undefined) socket.resume();
    else socket.pause();
    if (reads === 'slowly') timers.push(setInterval(() => sip(socket), SIP_EVERY_MS));
    const opened = await Promise.race([once(socket, 'connect').catch(() => undefined), closed]);
    const soon = Math.random() * VANISHES_WITHIN_MS;
    if (vanishes) timers.push(setTimeout(() => socket.resetAndDestroy(), soon));
    if (opened !== undefined && !socket.destroyed && !this.#isOver) this.#send(socket);
    else socket.destroy();
    await closed;
    if (opened === undefined) await delay(AGAIN_MS);
    for (const timer of timers) clearTimeout(timer);
    this.#sockets.delete(socket);
  }

  #send(/** @type {import('node:net').Socket} */ socket) {
    const { sends } = this.#client;
    const isOpen = () => socket.writable && !this.#isOver;
    if (sends === 'at once') {
      const pump = () => {
        while (isOpen() && socket.write(this.#batch(), 'latin1'));
      };
      socket.on('drain', pump);
      pump();
      return;
    }
    socket.write(this.#text(), 'latin1');
    if (sends === 'in turn') socket.on('data', () => isOpen() && socket.write(this.#text()));
  }

  #batch() {
    let text = this.#text();
    while (text.length < WRITE_LEAST_CHARACTERS) text += this.#text();
    return text;
  }

  /** The next request. */
  #text() {
    const { asks, sends } = this.#client;
    const { method, path, headers, body = '' } = asks[this.#turn++ % asks.length] ?? asks[0] ?? {};
    const n = String(++sent);
    const content = body.replaceAll('{n}', n);
    // A connection for one request ends by itself.
    const more = sends === 'reconnecting' ? { Connection: 'close' } : {};
    const length = content === '' ? {} : { 'Content-Length': content.length };
    const lines = Object.entries({ Host: this.#origin.host, ...more, ...headers, ...length }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const start = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
    return start.replaceAll('{n}', n) + content;
  }
}

/** Takes what has arrived, once. */
function sip(/** @type {import('node:net').Socket} */ socket) {
  if (!socket.isPaused()) return;
  socket.once('data', () => socket.pause());
  socket.resume();
}

/** @type {{ origin: string, clients: readonly HostileClient[], milliseconds: number }} */
const { origin, clients, milliseconds } = JSON.parse(await text(process.stdin));
await Promise.all(clients.map((client) => new Client(origin, client).run(milliseconds)));
process.stdout.write(String(sent));

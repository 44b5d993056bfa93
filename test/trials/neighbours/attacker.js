// The attackers' process: it fires the volleys of every attack at once and drops the answers.

import { Agent, request } from 'node:http';
import { connect } from 'node:net';

/** @typedef {import('./attacks.js').Shot} Shot */

/** An unread answer is cut by the service after 15 s. */
const HELD_MS = 20_000;
const LEAVE_MS = 20;
const agent = new Agent({ keepAlive: true });
/** How many answers of each status so far; 0 for a request without an answer. @type {Record<string, number>} */
const statuses = {};

/** @returns {Promise<number>} The status; 0 without an answer. */
function read(/** @type {string} */ url, /** @type {Shot} */ { method, headers, body }) {
  return new Promise((resolve) => {
    const sent = request(url, { method, agent, headers }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', () => resolve(0));
    sent.end(body);
  });
}

/** Sends a request and reads nothing. @returns {Promise<number>} */
function sendOnly(
  /** @type {string} */ url,
  /** @type {Shot} */ { method, headers, body = '', how },
  /** @type {number} */ heldMs,
) {
  const { hostname, port, pathname, search } = new URL(url);
  const lines = [
    `${method} ${pathname}${search} HTTP/1.1`,
    `Host: ${hostname}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.pause();
    socket.on('error', () => {});
    socket.once('connect', () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
      const timer = setTimeout(() => socket.destroy(), how === 'leave' ? LEAVE_MS : heldMs);
      socket.once('close', () => clearTimeout(timer));
    });
    socket.once('close', () => resolve(0));
  });
}

/** Fires the volleys of one attack one after the other. */
async function attack(
  /** @type {string} */ origin,
  /** @type {readonly (readonly Shot[])[]} */ volleys,
  /** @type {number} */ scale,
) {
  for (const volley of volleys) {
    const answers = volley.flatMap((shot) => {
      const url = `${origin}/api/v1${shot.path}`;
      return Array.from({ length: shot.count }, () =>
        shot.how === 'read' ? read(url, shot) : sendOnly(url, shot, HELD_MS * scale),
      );
    });
    for (const status of await Promise.all(answers)) {
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }
}

process.on(
  'message',
  async (
    /** @type {{ origin: string, scale: number, attacks: readonly (readonly (readonly Shot[])[])[] }} */
    { origin, scale, attacks },
  ) => {
    await Promise.all(attacks.map((volleys) => attack(origin, volleys, scale)));
    process.send?.(statuses);
  },
);
process.on('disconnect', () => process.exit());
process.send?.('ready');

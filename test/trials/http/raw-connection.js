// HTTP as bytes on a socket, for what no client library would send, by the
// hundred: how it was answered, when it ended, and what all answers must have.

import { connect } from 'node:net';

/**
 * @typedef {object} RawConnection
 * @property {import('node:net').Socket} socket
 * @property {() => string} received Everything so far, a character a byte.
 * @property {(text: string) => void} send A byte for a character.
 * @property {Promise<number>} over Resolves with the milliseconds from the start to the end, however it came.
 * @property {Promise<void>} opened Resolves when it is connected, or over.
 */

/**
 * Opens a connection and sends the text, a byte for a character.
 * @returns {RawConnection}
 */
export function openRaw(/** @type {string} */ origin, /** @type {string | Buffer} */ text = '') {
  const { hostname, port } = new URL(origin);
  const startedAt = performance.now();
  const socket = connect({ host: hostname, port: Number(port) });
  /** @type {Buffer[]} */
  const chunks = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // A reset is an end like any other.
  socket.on('error', () => {});
  /** @type {Promise<number>} */
  const over = new Promise((resolve) => {
    socket.once('close', () => resolve(performance.now() - startedAt));
  });
  /** @type {Promise<void>} */
  const opened = new Promise((resolve) => {
    socket.once('connect', () => resolve());
    socket.once('close', () => resolve());
  });
  const send = (/** @type {string | Buffer} */ more) => {
    if (socket.writable)
      socket.write(typeof more === 'string' ? Buffer.from(more, 'latin1') : more);
  };
  if (text.length > 0) send(text);
  return { socket, received: () => Buffer.concat(chunks).toString('latin1'), send, over, opened };
}

/**
 * Resolves when the connection is over, or ends it after so many milliseconds.
 * This side does not end first: an answer under way would be broken off.
 */
export async function overWithin(
  /** @type {RawConnection} */ connection,
  /** @type {number} */ milliseconds,
) {
  const timer = setTimeout(() => connection.socket.destroy(), milliseconds);
  await connection.over;
  clearTimeout(timer);
}

/** @typedef {{ status: number, headers: Map<string, string>, body: string }} RawAnswer */

/** The complete answers in what was received; interim ones left out. */
export function answersIn(/** @type {string} */ received) {
  /** @type {RawAnswer[]} */
  const answers = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(statusLine.split(' ')[1]);
    /** @type {Map<string, string>} */
    const headers = new Map();
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    rest = rest.slice(end + 4);
    if (status < 200) continue;
    const length = Number(headers.get('content-length') ?? 0);
    if (rest.length < length) return answers;
    answers.push({ status, headers, body: rest.slice(0, length) });
    rest = rest.slice(length);
  }
}

const COMMON_HEADERS = new Map([
  ['content-type', 'application/json; charset=utf-8'],
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', 'X-Request-ID'],
]);

/** What is wrong with an answer's form; empty where nothing is. */
export function flawOf(/** @type {RawAnswer} */ { status, headers, body }) {
  if (status >= 500) return `status ${status}`;
  // The one answer without an envelope: OPTIONS.
  if (status === 204) return '';
  for (const [name, value] of COMMON_HEADERS) {
    if (headers.get(name) !== value) return `${status}: ${name} is ${headers.get(name)}`;
  }
  try {
    const { meta, error } = JSON.parse(Buffer.from(body, 'latin1').toString());
    if (meta.request_id === '' || typeof meta.timestamp !== 'string') return `${status}: no meta`;
    if (status >= 400 && typeof error?.code !== 'string') return `${status}: no error code`;
    return '';
  } catch {
    return `${status}: no envelope in ${body.slice(0, 100)}`;
  }
}

/** A request's text, with a Host; without a length of its own. */
export function requestText(
  /** @type {string} */ method,
  /** @type {string} */ path,
  /** @type {Readonly<Record<string, string>>} */ headers = {},
  /** @type {string} */ body = '',
) {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

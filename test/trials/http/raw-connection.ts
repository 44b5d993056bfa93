// HTTP as bytes on a socket, for requests that no client library sends: the answers, the
// end of the connection, and checks that hold for every answer.

import { connect, type Socket } from 'node:net';
import { messageBody } from '../../support/message-body.js';

export interface RawConnection {
  socket: Socket;
  /** Everything received so far, one character per byte. */
  received: () => string;
  /** Sends the text, one byte per character. */
  send: (text: string) => void;
  /** Resolves at the end of the connection with its duration in milliseconds. */
  over: Promise<number>;
  /** Resolves when the connection is open, or has ended. */
  opened: Promise<void>;
}

/** Opens a connection and sends the text, one byte per character. */
export function openRaw(origin: string, text: string | Buffer = ''): RawConnection {
  const { hostname, port } = new URL(origin);
  const startedAt = performance.now();
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // A reset ends the connection, too: `close` follows.
  socket.on('error', () => {});
  const over: Promise<number> = new Promise((resolve) => {
    socket.once('close', () => resolve(performance.now() - startedAt));
  });
  const opened: Promise<void> = new Promise((resolve) => {
    socket.once('connect', () => resolve());
    socket.once('close', () => resolve());
  });
  const send = (more: string | Buffer) => {
    if (socket.writable)
      socket.write(typeof more === 'string' ? Buffer.from(more, 'latin1') : more);
  };
  if (text.length > 0) send(text);
  return { socket, received: () => Buffer.concat(chunks).toString('latin1'), send, over, opened };
}

/**
 * Resolves when the connection has ended; destroys it after so many milliseconds. This side
 * does not end it before: that would cut an answer.
 */
export async function overWithin(connection: RawConnection, milliseconds: number) {
  const timer = setTimeout(() => connection.socket.destroy(), milliseconds);
  await connection.over;
  clearTimeout(timer);
}

export type RawAnswer = { status: number; headers: Map<string, string>; body: string };

/** The complete answers received, without interim ones (1xx). */
export function answersIn(received: string) {
  const answers: RawAnswer[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(statusLine.split(' ')[1]);
    const headers: Map<string, string> = new Map();
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    rest = rest.slice(end + 4);
    if (status < 200) continue;
    const message = messageBody(headers, rest);
    if (message === undefined) return answers;
    answers.push({ status, headers, body: message.body });
    rest = message.rest;
  }
}

const COMMON_HEADERS = new Map([
  ['content-type', 'application/json; charset=utf-8'],
  ['cache-control', 'no-store'],
  ['x-content-type-options', 'nosniff'],
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', 'X-Request-ID'],
]);

/** The flaw in an answer's form, as text; empty when it has none. */
export function flawOf({ status, headers, body }: RawAnswer) {
  // 501 is the answer to a transfer coding that is not known (RFC 9112, section 6.1).
  if (status >= 500 && status !== 501) return `status ${status}`;
  // Only OPTIONS is answered without an envelope.
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

/** The text of a request with a Host header. Content-Length is up to the caller. */
export function requestText(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: string = '',
) {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

// HTTP as bytes on a socket, for what no client library would send, by the
// hundred: how it was answered, when it ended, and what all answers must have.

import { connect, type Socket } from 'node:net';

export interface RawConnection {
  socket: Socket;
  /** Everything so far, a character a byte. */
  received: () => string;
  /** A byte for a character. */
  send: (text: string) => void;
  /** Resolves with the milliseconds from the start to the end, however it came. */
  over: Promise<number>;
  /** Resolves when it is connected, or over. */
  opened: Promise<void>;
}

/** Opens a connection and sends the text, a byte for a character. */
export function openRaw(origin: string, text: string | Buffer = ''): RawConnection {
  const { hostname, port } = new URL(origin);
  const startedAt = performance.now();
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // A reset is an end like any other.
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
 * Resolves when the connection is over, or ends it after so many milliseconds.
 * This side does not end first: an answer under way would be broken off.
 */
export async function overWithin(connection: RawConnection, milliseconds: number) {
  const timer = setTimeout(() => connection.socket.destroy(), milliseconds);
  await connection.over;
  clearTimeout(timer);
}

export type RawAnswer = { status: number; headers: Map<string, string>; body: string };

/** The complete answers in what was received; interim ones left out. */
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
export function flawOf({ status, headers, body }: RawAnswer) {
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

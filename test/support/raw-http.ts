// HTTP as bytes on a socket, for requests that client libraries do not send and
// answers that they do not show.

import { connect, type Socket } from 'node:net';
import type { Envelope } from './contract.js';

/** Of every answer with an envelope, where CORS_ALLOWED_ORIGINS is unset. */
export const COMMON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-ID',
};

export interface RawAnswer {
  readonly statusLine: string;
  readonly status: number;
  /** Names in lower case; values with one character for each byte. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly json: Envelope;
}

export interface RawConnection {
  readonly socket: Socket;
  /** Everything received so far, one character for each byte. */
  received(): string;
  /** The complete answers received so far, without interim answers. */
  answers(): RawAnswer[];
  /** Resolves with the time until the server ended or reset the connection. */
  readonly over: Promise<{ readonly afterMs: number; readonly reset: boolean }>;
  /** Resolves when the received text satisfies the condition. Rejects if the connection ends before. */
  until(condition: (connection: RawConnection) => boolean): Promise<void>;
  /** Sends one byte for each character. */
  send(text: string): void;
}

export interface RawOptions {
  /** True: this side stays open when the server ends its own side. */
  readonly stay?: boolean;
}

/** Opens a connection to a server's origin and sends the text. */
export function openRaw(origin: string, text = '', { stay = false }: RawOptions = {}) {
  const { hostname, port } = new URL(origin);
  const startedAt = performance.now();
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  let listeners: (() => void)[] = [];
  let reset = false;
  let isOver = false;
  const notify = () => {
    const waiting = listeners;
    listeners = [];
    for (const listener of waiting) listener();
  };
  const over = new Promise<{ afterMs: number; reset: boolean }>((resolve) => {
    const finish = () => {
      isOver = true;
      resolve({ afterMs: performance.now() - startedAt, reset });
      notify();
    };
    socket.on('end', () => {
      if (!stay) socket.destroy();
    });
    socket.on('error', () => {
      reset = true;
    });
    socket.on('close', finish);
  });
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    notify();
  });
  const received = () => Buffer.concat(chunks).toString('latin1');
  const connection: RawConnection = {
    socket,
    received,
    answers: () => parseAnswers(received()),
    over,
    until: (condition) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (condition(connection)) resolve();
          else if (isOver) reject(new Error(`the connection ended with: ${received()}`));
          else listeners.push(look);
        };
        look();
      }),
    send: (more) => socket.write(Buffer.from(more, 'latin1')),
  };
  if (text !== '') connection.send(text);
  return connection;
}

/** Sends the text and resolves with the answers once the server has ended the connection. */
export async function rawExchange(origin: string, text: string): Promise<RawAnswer[]> {
  const connection = openRaw(origin, text);
  await connection.over;
  return connection.answers();
}

/** A request's text, with the header `Host`, and `Content-Length` if it has a body. */
export function requestText(
  method: string,
  target: string,
  headers: readonly string[] = [],
  body = '',
): string {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`];
  return `${[`${method} ${target} HTTP/1.1`, 'Host: localhost', ...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
}

function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(statusLine.split(' ')[1]);
    const headers = new Map(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    rest = rest.slice(end + 4);
    if (status >= 100 && status < 200) continue;
    const message = messageBody(headers, rest);
    if (message === undefined) return answers;
    const { body } = message;
    rest = message.rest;
    const json: Envelope = body === '' ? {} : JSON.parse(Buffer.from(body, 'latin1').toString());
    answers.push({ statusLine, status, headers, body, json });
  }
}

/** The body of a message, by its length or in chunks, and the text behind it; undefined if it is not yet whole. */
function messageBody(
  headers: ReadonlyMap<string, string>,
  text: string,
): { readonly body: string; readonly rest: string } | undefined {
  if (headers.get('transfer-encoding') !== 'chunked') {
    const length = Number(headers.get('content-length') ?? 0);
    if (text.length < length) return undefined;
    return { body: text.slice(0, length), rest: text.slice(length) };
  }
  const chunks: string[] = [];
  for (let at = 0; ; ) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const length = Number.parseInt(text.slice(at, lineEnd), 16);
    const start = lineEnd + 2;
    if (text.length < start + length + 2) return undefined;
    if (length === 0) return { body: chunks.join(''), rest: text.slice(start + 2) };
    chunks.push(text.slice(start, start + length));
    at = start + length + 2;
  }
}

// HTTP as bytes on a socket, for requests that client libraries do not send and responses that they
// do not show.

import { connect } from 'node:net';
import type { Envelope } from './contract.js';

/** The headers of every response with an envelope if CORS_ALLOWED_ORIGINS is unset. */
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

export type RawConnection = ReturnType<typeof openRaw>;

/**
 * Opens a connection to a server's origin and sends the text, one byte for each character.
 * `stay`: this side stays open when the server ends its own side.
 */
export function openRaw(origin: string, text = '', { stay = false } = {}) {
  const { hostname, port } = new URL(origin);
  const startedAt = performance.now();
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let all = '';
  let reset = false;
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    all += chunk;
  });
  socket.on('end', () => !stay && socket.destroy());
  socket.on('error', () => {
    reset = true;
  });
  /** Resolves with the time until the server ended or reset the connection. */
  const over = new Promise<{ afterMs: number; reset: boolean }>((resolve) => {
    socket.on('close', () => resolve({ afterMs: performance.now() - startedAt, reset }));
  });
  /** Everything so far, one character for each byte. */
  const received = () => all;
  /** The complete responses received so far, without interim ones. */
  const answers = () => parseAnswers(all);
  const send = (more: string) => socket.write(more, 'latin1');
  if (text !== '') send(text);
  return {
    ...{ socket, received, answers, over, send },
    /** Resolves at the byte that makes the condition true. Rejects if the connection ends before. */
    until: (condition: (so: { received(): string; answers(): RawAnswer[] }) => boolean) =>
      new Promise<void>((resolve, reject) => {
        const look = () => condition({ received, answers }) && resolve();
        socket.on('data', look);
        void over.then(() => reject(new Error(`the connection ended with: ${all}`)));
        look();
      }),
  };
}

/** Sends the text and resolves with the responses once the server has ended the connection. */
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

/** Interim responses are omitted. */
function parseAnswers(text: string): RawAnswer[] {
  const [head = '', rest] = text.split(/\r\n\r\n(.*)/s, 2);
  if (rest === undefined) return [];
  const [statusLine = '', ...lines] = head.split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  if (status < 200) return parseAnswers(rest);
  const pairs = lines.map((line) => /^([^:]*):\s*(.*?)\s*$/.exec(line) ?? []);
  const headers = new Map(pairs.map(([, name = '', value = '']) => [name.toLowerCase(), value]));
  const length = Number(headers.get('content-length') ?? 0);
  // JSON has no line end of HTTP, so chunks are lines, a size and a text in turn.
  const chunks = /^((?:[0-9a-f]+\r\n[^\r]+\r\n)*)0\r\n\r\n/;
  const isChunked = headers.has('transfer-encoding');
  const [whole, content] = isChunked ? (chunks.exec(rest) ?? []) : [rest.slice(0, length)];
  if (whole === undefined || whole.length < length) return [];
  const body = content?.replace(/[0-9a-f]+\r\n(.*)\r\n/g, '$1') ?? whole;
  const json: Envelope = body === '' ? {} : JSON.parse(Buffer.from(body, 'latin1').toString());
  return [{ statusLine, status, headers, body, json }, ...parseAnswers(rest.slice(whole.length))];
}

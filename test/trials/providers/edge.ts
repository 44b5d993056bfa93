// A provider behind an edge that misbehaves: a real service asks it, and the
// table says what each misbehaviour gives the caller.

import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { userinfoIdentity } from '../../../src/core/identity/userinfo.js';
import { keptLog } from '../../support/kept-log.js';
import { onLoopback } from '../../support/loopback.js';
import { type ServerProcess, startServer } from '../../support/server-process.js';
import type { Finding } from '../trial.js';

const GOOD = '{"sub":"asha"}';
const SLOW_MS = 6_000;
const BOMB_BYTES = 200 * 1024 * 1024;

interface Case {
  readonly name: string;
  readonly send: (response: ServerResponse) => void;
  /** The status that the caller must get; several when it depends on the runtime's version. */
  readonly expected: readonly number[];
}

const UNAVAILABLE = [503];
const PAGE = { 'content-type': 'text/html' };

const CASES: readonly Case[] = [
  ...[301, 302, 303, 307, 308].map((status) =>
    one(`a redirect ${status} to the right place`, UNAVAILABLE, status, { location: '/right' }),
  ),
  one('204 without a body', UNAVAILABLE, 204),
  one('205 without a body', UNAVAILABLE, 205),
  one('404', UNAVAILABLE, 404),
  one('405', UNAVAILABLE, 405, { allow: 'POST' }),
  one('407', UNAVAILABLE, 407),
  one('500 with HTML', UNAVAILABLE, 500, PAGE, '<html>'),
  one('502', UNAVAILABLE, 502),
  one('504', UNAVAILABLE, 504),
  one('200 with HTML', UNAVAILABLE, 200, PAGE, '<html>Sign in'),
  one('403 with HTML', [401], 403, PAGE, '<html>Blocked'),
  one('200 and nothing', UNAVAILABLE, 200),
  one(
    'a signed answer (JWT)',
    UNAVAILABLE,
    200,
    { 'content-type': 'application/jwt' },
    'eyJ.e30.c',
  ),
  one('two JSON values', UNAVAILABLE, 200, {}, GOOD + GOOD),
  one('text/plain with JSON', [200], 200, { 'content-type': 'text/plain' }, GOOD),
  one('a byte order mark', [200], 200, {}, `\ufeff${GOOD}`),
  one('UTF-16', UNAVAILABLE, 200, {}, Buffer.from(GOOD, 'utf16le')),
  one('gzip', [200], 200, encoding('gzip'), gzipSync(GOOD)),
  one('deflate', [200], 200, encoding('deflate'), deflateSync(GOOD)),
  one('deflate without its frame', [200, 503], 200, encoding('deflate'), deflateRawSync(GOOD)),
  one('br', [200], 200, encoding('br'), brotliCompressSync(GOOD)),
  // Not asked for: Node knows it from 22.15 on.
  one('zstd', [200, 503], 200, encoding('zstd'), zstdOf(GOOD)),
  one('gzip that is none', UNAVAILABLE, 200, encoding('gzip'), GOOD),
  { name: '200 MB of gzip', send: sendBomb, expected: UNAVAILABLE },
  { name: 'chunked, a byte at a time', send: sendBytes, expected: [200] },
  {
    name: '103 Early Hints before the answer',
    send: (response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' }, () => response.end(GOOD));
    },
    expected: [200],
  },
  one('20 KB of headers', UNAVAILABLE, 200, { 'x-large': 'x'.repeat(20_000) }, GOOD),
  {
    name: 'headers after 6 s',
    send: (response) => setTimeout(() => response.end(GOOD), SLOW_MS),
    expected: UNAVAILABLE,
  },
  {
    name: 'headers at once, the body after 6 s',
    send: (response) => {
      response.flushHeaders();
      setTimeout(() => response.end(GOOD), SLOW_MS);
    },
    expected: UNAVAILABLE,
  },
  {
    name: 'dropped before the answer, each time',
    send: (response) => response.destroy(),
    expected: UNAVAILABLE,
  },
  {
    name: 'dropped in the middle of the body',
    send: (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write(GOOD.slice(0, 8), () => response.destroy());
    },
    expected: UNAVAILABLE,
  },
  {
    name: 'what is no HTTP',
    send: (response) => response.socket?.end('SSH-2.0\r\n'),
    expected: UNAVAILABLE,
  },
  // The last: nothing is sent for a second after it.
  one('429 with Retry-After: 1', UNAVAILABLE, 429, { 'retry-after': '1' }),
];

export interface EdgeResults {
  readonly findings: readonly Finding[];
  /** A Markdown table. */
  readonly table: string;
}

export async function edge(folder: string): Promise<EdgeResults> {
  const server = createServer((request, response) => {
    const index = Number(/case-(\d+)$/.exec(request.headers.authorization ?? '')?.[1]);
    const found = CASES[index];
    if (found === undefined) response.writeHead(401).end();
    else found.send(response);
  });
  const { origin, close } = await onLoopback(server);
  const url = `${origin}/userinfo`;
  const service = await startServer({
    DATABASE_URL: `file:${join(folder, 'edge.db')}`,
    AUTH_USERINFO_URL: url,
  });
  try {
    return await asked(service, url);
  } finally {
    await service.stop();
    await close();
  }
}

async function asked(service: ServerProcess, url: string): Promise<EdgeResults> {
  const findings: Finding[] = [];
  const rows: string[] = [];
  for (const [index, { name, expected }] of CASES.entries()) {
    const started = performance.now();
    const response = await fetch(`${service.origin}/api/v1/customers`, {
      headers: { authorization: `Bearer case-${index}` },
    });
    await response.arrayBuffer();
    const ms = Math.round(performance.now() - started);
    const reason = await reasonOf(url, `case-${index}`);
    findings.push({
      fault: `an edge: ${name}`,
      tried: 'one request',
      found: `${response.status} after ${ms} ms (${reason}), expected ${expected.join(' or ')}`,
      holds: expected.includes(response.status) && ms < 4_900,
    });
    rows.push(`| ${name} | ${response.status} | ${reason} |`);
  }
  return {
    findings,
    table: `| The edge sends | Caller gets | Log's reason |\n|---|---|---|\n${rows.join('\n')}\n`,
  };
}

/** The log's reason, asked in a run of its own, because the service logs the same reason once a minute only. */
async function reasonOf(url: string, token: string): Promise<string> {
  const log = keptLog();
  await userinfoIdentity({ url, log }).identify(token);
  const fields = log.lines[0]?.fields;
  const type = fields?.['content_type'];
  return `${fields?.['reason'] ?? '–'}${type === undefined ? '' : `, ${type}`}`;
}

function one(
  name: string,
  expected: readonly number[],
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = '',
): Case {
  return {
    name,
    expected,
    send: (response) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body),
  };
}

function encoding(name: string) {
  return { 'content-encoding': name };
}

/** Compressed on the way: it is spaces, and never in memory as a whole. */
function sendBomb(response: ServerResponse): void {
  response.writeHead(200, encoding('gzip'));
  const gzip = createGzip();
  gzip.pipe(response);
  response.on('close', () => gzip.destroy());
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  let left = BOMB_BYTES / chunk.byteLength;
  const send = () => {
    while (left > 0 && !gzip.destroyed) {
      left--;
      if (!gzip.write(chunk)) {
        gzip.once('drain', send);
        return;
      }
    }
    if (!gzip.destroyed) gzip.end();
  };
  gzip.on('error', () => {});
  send();
}

async function sendBytes(response: ServerResponse): Promise<void> {
  for (const byte of Buffer.from(GOOD)) {
    await new Promise<void>((resolve) =>
      response.write(Buffer.of(byte), () => setImmediate(resolve)),
    );
  }
  response.end();
}

/** A zstd frame with one raw block (RFC 8878, section 3.1.1). */
function zstdOf(text: string): Uint8Array {
  const size = Buffer.byteLength(text);
  const block = (size << 3) | 1;
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, size, block & 255, (block >> 8) & 255, 0];
  return Buffer.concat([Buffer.from(head), Buffer.from(text)]);
}

// A stand-in for an S3-compatible store at some distance: it keeps objects in memory and answers
// each request after a delay in milliseconds, its one argument. It knows the five requests that
// Litestream makes, and looks at no signature.

import { createServer } from 'node:http';
import { announce } from './answer-file.js';

/** @typedef {{ bytes: Buffer, timestamp: string, at: string }} Stored */

const TIMESTAMP = 'x-amz-meta-litestream-timestamp';
const delayMs = Number(process.argv[2] ?? 0);
/** @type {Map<string, Stored>} */
const objects = new Map();

const server = createServer(async (request, response) => {
  /** @type {Buffer[]} */
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://store');
  const [, , ...rest] = pathname.split('/').map(decodeURIComponent);
  const answer = answerTo(request, rest.join('/'), searchParams, Buffer.concat(pieces));
  setTimeout(() => response.writeHead(answer.status, answer.headers).end(answer.body), delayMs);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') announce(address.port);
});

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {string} key
 * @param {URLSearchParams} query
 * @param {Buffer} body
 * @returns {{ status: number, headers?: Record<string, string>, body?: string | Buffer }}
 */
function answerTo({ method, headers }, key, query, body) {
  if (method === 'PUT') {
    const isChunked = String(headers['content-encoding']).includes('aws-chunked');
    const bytes = isChunked ? unchunked(body) : body;
    const timestamp = String(headers[TIMESTAMP] ?? '');
    objects.set(key, { bytes, timestamp, at: new Date().toISOString() });
    return { status: 200, headers: { ETag: '"1"' } };
  }
  if (method === 'POST' && query.has('delete')) {
    const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, name = '']) => name);
    for (const name of keys) objects.delete(name);
    const deleted = keys.map((name) => `<Deleted><Key>${name}</Key></Deleted>`).join('');
    return { status: 200, body: `<DeleteResult>${deleted}</DeleteResult>` };
  }
  if (key === '') return { status: 200, body: listed(query.get('prefix') ?? '') };
  const found = objects.get(key);
  if (found === undefined) return { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' };
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  const { bytes } = found;
  const end = to === undefined || to === '' ? bytes.length : Number(to) + 1;
  const part = from === undefined ? bytes : bytes.subarray(Number(from), end);
  return {
    status: from === undefined ? 200 : 206,
    headers: {
      ETag: '"1"',
      'Content-Length': String(part.length),
      'Last-Modified': new Date(found.at).toUTCString(),
      [TIMESTAMP]: found.timestamp,
      ...(from && { 'Content-Range': `bytes ${from}-${end - 1}/${bytes.length}` }),
    },
    ...(method !== 'HEAD' && { body: part }),
  };
}

function listed(/** @type {string} */ prefix) {
  const contents = [...objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .sort()
    .map((key) => {
      const { bytes, at } = /** @type {Stored} */ (objects.get(key));
      return `<Contents><Key>${key}</Key><LastModified>${at}</LastModified><Size>${bytes.length}</Size></Contents>`;
    });
  return `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
}

/** Out of the chunks of a signed upload: each has its size in hexadecimal before it. */
function unchunked(/** @type {Buffer} */ body) {
  const parts = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

// Whatever bytes a client sends: every answer is in the envelope with the common headers, none
// is a 5xx, no request is smuggled, the connection ends, and the process serves others.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import {
  COMMON_HEADERS,
  openRaw,
  type RawAnswer,
  rawExchange,
  requestText,
} from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const ATTACKER = bearer('attacker');
const CLOSE = 'Connection: close';
const HOST = 'Host: localhost\r\n';
const AT_ONCE = 50;
/** The mark of a smuggled request. An answer or a record with it proves that one was served. */
const SMUGGLED = 'smuggled';

let service: NodeService;
let server: ServerProcess;

beforeAll(async () => {
  service = await openNodeService();
  server = await service.start();
});
afterAll(() => service.close());

const LINES = [
  '\r\n\r\n',
  '\0\0\0\0\r\n\r\n',
  'GET\r\n\r\n',
  'GET /\r\n\r\n',
  ...['GET  /', 'get /', 'G\0T /', 'G(T /', 'FROBNICATE /', `${'A'.repeat(70_000)} /`],
  ...[`/${'a'.repeat(70_000)}`, '/\0', '/\xff', '/a b', 'a', '*', '//', '/../../etc/passwd'],
  ...['/api/v1/../../x', '/%zz', 'http://', 'http://[::1', 'http://a:99999/', '?a', '#a'],
  ...['OPTIONS *', 'CONNECT a:1', 'CONNECT /', 'TRACE /'],
  ...['HTTP/1.1 x', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'HTTP/9.9', 'http/1.1', 'HTTPS/1.1'].map(
    (version) => `GET / ${version}\r\n`,
  ),
  'PRI * HTTP/2.0\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
].map((line) => {
  if (line.includes('\r\n') || line.startsWith('\x16'))
    return line.endsWith('\n\r\n') ? line : `${line}${HOST}\r\n`;
  const head = /^[A-Za-z][^/ ]* +[^ ]/.test(line) ? line : `GET ${line}`;
  return `${head} HTTP/1.1\r\n${HOST}\r\n`;
});

const HEADERS = [
  ...['X', ': x', ' X: x', 'X : x', 'X\0: x', 'X: \0', 'X: a\rb', 'X: a\nb', 'X: a\r\n b', 'X(: x'],
  ...['X: \x7f', 'X: \xff', '\xff: x', 'Host: a', 'Host: b', 'Host: a b', 'Host: a/b', 'Host: '],
  ...['Host: [', 'Host: a:b', 'Host: ..', `X: ${'a'.repeat(20_000)}`, `${'X'.repeat(20_000)}: a`],
  ...['Expect: 100-continue', 'Expect: nonsense', 'Connection: ', 'Origin: ', 'Authorization: '],
  ...['X-Request-ID: \xe9', 'X-Request-ID: a\r\nX-Request-ID: b', 'X: a\r\n'.repeat(3_000).trim()],
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAAA',
  'Upgrade: websocket\r\nConnection: Upgrade',
  `Authorization: Bearer ${'a'.repeat(8_000)}`,
].map((line) => {
  const host = /^host/i.test(line) ? '' : HOST;
  return `GET /api/v1/customers HTTP/1.1\r\n${host}${ATTACKER}\r\n${line}\r\n\r\n`;
});

function post(framing: string, body: string): string {
  return `POST /api/v1/customers HTTP/1.1\r\n${HOST}${framing}\r\n\r\n${body}`;
}

/** One reader takes the second request for the first one's body, another for a request. */
const FRAMINGS = () => {
  const record = JSON.stringify({ businessName: SMUGGLED });
  const inner = `0\r\n\r\nPOST /api/v1/businesses HTTP/1.1\r\n${HOST}${ATTACKER}\r\nContent-Length: ${record.length}\r\n\r\n${record}`;
  const long = `Content-Length: ${inner.length}`;
  const [short, te] = ['Content-Length: 6', 'Transfer-Encoding: chunked'];
  const pairs = [
    ...[`${long}\r\n${te}`, `${te}\r\n${long}`, `${short}\r\n${te}`, `${te}\r\n${short}`],
    ...[`${long}\r\n${short}`, `${short}\r\n${long}`, `Content-Length: 6, ${inner.length}`],
    ...[`Content-Length: ${inner.length}, 6`, `${te}, identity`, 'Transfer-Encoding : chunked'],
    ...[' Transfer-Encoding: chunked', `Content-Length: +${inner.length}`, 'Content-Length: 0x10'],
    ...[`Content-Length: ${inner.length}x`, 'Content-Length : 6', 'Content-Length: '],
    ...['xchunked', '\tchunked', '"chunked"', 'chun\r\n ked', '\x0bchunked', 'chunked\0'].map(
      (coding) => `Transfer-Encoding: ${coding}\r\n${long}`,
    ),
    ...[
      `X: x\n${te}`,
      `X: x\r${te}`,
      'Transfer-Encoding\n: chunked',
      'Transfer_Encoding: chunked',
    ].map((line) => `${line}\r\n${long}`),
    ...[`${te}\r\nTransfer-Encoding: x`, `Transfer-Encoding: x\r\n${te}`, `${short} \r\n${te}`],
  ];
  // A request may follow well-formed chunks. This one has no token, so it must be refused.
  const after = `GET /api/v1/${SMUGGLED} HTTP/1.1\r\n${HOST}\r\n`;
  const chunks = [
    ...['0\r\n\r', '0 \r\n\r\n', '0;x\r\n\r\n', '0;\n\r\n\r\n', `${'0'.repeat(20)}\r\n\r\n`],
    ...['0x0\r\n\r\n', '\r\n0\r\n\r\n', '1\r\nxx\r\n0\r\n\r\n', '2\r\nx\r\n0\r\n\r\n', '0\n\n'],
    ...['0\r\nX: y\r\nTransfer-Encoding: x\r\n\r\n', '-0\r\n\r\n', '0_0\r\n\r\n'],
  ];
  return [
    ...pairs.map((framing) => post(framing, inner)),
    ...chunks.map((body) => post(te, body + after)),
  ];
};

/** Well-formed requests that clients hardly ever send, and such beside nonsense. */
const ODDITIES = () => {
  const get = `GET /api/v1/customers HTTP/1.1\r\n${HOST}${ATTACKER}\r\n\r\n`;
  const kept = get.replace('1.1', '1.0').replace('\r\n\r\n', '\r\nConnection: keep-alive\r\n\r\n');
  return [
    ...[get.repeat(100), `nonsense\r\n\r\n${get}`, `${get}nonsense\r\n\r\n`, kept.repeat(2)],
    ...[`${'\r\n'.repeat(50)}${get}`, get.replaceAll('\r\n', '\n'), get.replaceAll('\r\n', '\r')],
    get.replace('\r\n\r\n', '\r\nContent-Length: 2\r\n\r\n{}'),
    post(`${ATTACKER}\r\nTransfer-Encoding: gzip, chunked`, '2\r\n{]\r\n0\r\n\r\n'),
  ];
};

/** The flaw in an answer's form, as text; empty if it has none. */
function flawOf({ status, headers, json }: RawAnswer): string {
  // 501: a transfer coding that is not known (RFC 9112, section 6.1).
  if (status >= 500 && status !== 501) return `status ${status}`;
  // Only OPTIONS is answered without an envelope.
  if (status === 204) return '';
  for (const [name, value] of Object.entries(COMMON_HEADERS)) {
    if (headers.get(name) !== value) return `${status}: ${name} is ${headers.get(name)}`;
  }
  const { meta, error } = json;
  if (!meta?.request_id || typeof meta.timestamp !== 'string') return `${status}: no meta`;
  return status >= 400 && typeof error?.code !== 'string' ? `${status}: no error code` : '';
}

it('A client that breaks the protocol gets answers without a flaw, and smuggles no request', async () => {
  const requests = [...LINES, ...HEADERS, ...FRAMINGS(), ...ODDITIES()];
  const flaws: string[] = [];
  let answered = 0;
  const queue = requests.values();
  const client = async () => {
    for (const text of queue) {
      const connection = openRaw(server.origin, text);
      connection.socket.end();
      await connection.over;
      const answers = connection.answers();
      answered += answers.length;
      for (const flaw of answers.map(flawOf)) {
        if (flaw !== '') flaws.push(`${JSON.stringify(text.slice(0, 90))}: ${flaw}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  expect(flaws).toEqual([]);
  expect(answered).toBeGreaterThan(requests.length);
  const list = requestText('GET', `/api/v1/businesses?q=${SMUGGLED}`, [ATTACKER, CLOSE]);
  expect((await rawExchange(server.origin, list))[0]?.json.data).toEqual([]);
  const [health] = await rawExchange(server.origin, requestText('GET', '/api/v1/health', [CLOSE]));
  expect(health?.status).toBe(200);
  expect(server.log().filter(({ level }) => level === 'error')).toEqual([]);
});

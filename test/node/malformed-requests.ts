// Malformed requests: broken lines, headers and framings, and requests that smuggle a
// second one past a server that reads the first one differently.

/** The mark of a smuggled request. An answer or a record with it proves that one was served. */
export const SMUGGLED = 'smuggled';

const HOST = 'Host: localhost\r\n';

export function malformedRequests(authorization: string): [what: string, text: string][] {
  return [
    ...lines(),
    ...headers(authorization),
    ...smuggling(authorization),
    ...oddities(authorization),
  ];
}

function lines(): [string, string][] {
  const broken = [
    '\r\n\r\n',
    '\0\0\0\0\r\n\r\n',
    'GET\r\n\r\n',
    'GET /\r\n\r\n',
    'GET  / HTTP/1.1\r\n',
    'GET / HTTP/1.1 x\r\n',
    'GET / HTTP/0.9\r\n',
    'GET / HTTP/2.0\r\n',
    'GET / HTTP/1.2\r\n',
    'GET / HTTP/9.9\r\n',
    'GET / http/1.1\r\n',
    'GET / HTTPS/1.1\r\n',
    'get / HTTP/1.1\r\n',
    'G\0T / HTTP/1.1\r\n',
    'G(T / HTTP/1.1\r\n',
    'FROBNICATE / HTTP/1.1\r\n',
    `${'A'.repeat(70_000)} / HTTP/1.1\r\n`,
    `GET /${'a'.repeat(70_000)} HTTP/1.1\r\n`,
    'GET /\0 HTTP/1.1\r\n',
    'GET /\xff HTTP/1.1\r\n',
    'GET /a b HTTP/1.1\r\n',
    'GET a HTTP/1.1\r\n',
    'GET * HTTP/1.1\r\n',
    'GET // HTTP/1.1\r\n',
    'GET /../../etc/passwd HTTP/1.1\r\n',
    'GET /api/v1/../../x HTTP/1.1\r\n',
    'GET /%zz HTTP/1.1\r\n',
    'GET http:// HTTP/1.1\r\n',
    'GET http://[::1 HTTP/1.1\r\n',
    'GET http://a:99999/ HTTP/1.1\r\n',
    'GET ?a HTTP/1.1\r\n',
    'GET #a HTTP/1.1\r\n',
    'OPTIONS * HTTP/1.1\r\n',
    'CONNECT a:1 HTTP/1.1\r\n',
    'CONNECT / HTTP/1.1\r\n',
    'TRACE / HTTP/1.1\r\n',
    'PRI * HTTP/2.0\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ];
  return broken.map((line) => [
    `the line ${JSON.stringify(line.slice(0, 30))}`,
    `${line}${line.endsWith('\r\n\r\n') ? '' : `${HOST}\r\n`}`,
  ]);
}

function headers(authorization: string): [string, string][] {
  const broken = [
    'X\r\n',
    ': x\r\n',
    ' X: x\r\n',
    'X : x\r\n',
    'X\0: x\r\n',
    'X: \0\r\n',
    'X: a\rb\r\n',
    'X: a\nb\r\n',
    'X: a\r\n b\r\n',
    'X(: x\r\n',
    'X: \x7f\r\n',
    'X: \xff\r\n',
    '\xff: x\r\n',
    'Host: a\r\n',
    'Host: b\r\n',
    'Host: a b\r\n',
    'Host: a/b\r\n',
    'Host: \r\n',
    'Host: [\r\n',
    'Host: a:b\r\n',
    'Host: ..\r\n',
    `X: ${'a'.repeat(20_000)}\r\n`,
    'X: a\r\n'.repeat(3_000),
    `${'X'.repeat(20_000)}: a\r\n`,
    'Expect: 100-continue\r\n',
    'Expect: nonsense\r\n',
    'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAAA\r\n',
    'Upgrade: websocket\r\nConnection: Upgrade\r\n',
    'Connection: \r\n',
    'X-Request-ID: \xe9\r\n',
    'X-Request-ID: a\r\nX-Request-ID: b\r\n',
    'Origin: \r\n',
    'Authorization: \r\n',
    `Authorization: Bearer ${'a'.repeat(8_000)}\r\n`,
    'Cookie: a\r\n',
  ];
  return broken.map((line) => [
    `the header ${JSON.stringify(line.slice(0, 30))}`,
    `GET /api/v1/customers HTTP/1.1\r\n${/^host/i.test(line) ? '' : HOST}${authorization}\r\n${line}\r\n`,
  ]);
}

/** One reader takes the second request for the first one's body, another for a request. */
function smuggling(authorization: string): [string, string][] {
  /** All have one length; the record names the shape that let it through. */
  const chunksOf = (number: number) => {
    const shape = String(number).padStart(3, '0');
    const record = JSON.stringify({ businessName: SMUGGLED, shape });
    return `0\r\n\r\nPOST /api/v1/businesses HTTP/1.1\r\n${HOST}${authorization}\r\nContent-Length: ${record.length}\r\n\r\n${record}`;
  };
  const wrap = (framing: string, body: string) =>
    `POST /api/v1/customers HTTP/1.1\r\n${HOST}${framing}\r\n${body}`;
  const { length } = chunksOf(0);
  const long = `Content-Length: ${length}\r\n`;
  const short = 'Content-Length: 6\r\n';
  const te = 'Transfer-Encoding: chunked\r\n';
  const framings = [
    long + te,
    te + long,
    short + te,
    te + short,
    `${long}${short}`,
    `${short}${long}`,
    `Content-Length: 6, ${length}\r\n`,
    `Content-Length: ${length}, 6\r\n`,
    'Transfer-Encoding: chunked, identity\r\n',
    'Transfer-Encoding: xchunked\r\n',
    `Transfer-Encoding: xchunked\r\n${long}`,
    'Transfer-Encoding : chunked\r\n',
    `Transfer-Encoding : chunked\r\n${long}`,
    ' Transfer-Encoding: chunked\r\n',
    `Transfer-Encoding:\tchunked\r\n${long}`,
    `Transfer-Encoding: "chunked"\r\n${long}`,
    `Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n${long}`,
    `Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n${long}`,
    `X: x\nTransfer-Encoding: chunked\r\n${long}`,
    `X: x\rTransfer-Encoding: chunked\r\n${long}`,
    `Transfer-Encoding\n: chunked\r\n${long}`,
    `Transfer-Encoding: chun\r\n ked\r\n${long}`,
    `Transfer-Encoding: \x0bchunked\r\n${long}`,
    `Transfer-Encoding: chunked\0\r\n${long}`,
    `Transfer_Encoding: chunked\r\n${long}`,
    `Content-Length: +${length}\r\n`,
    `Content-Length: ${length}x\r\n`,
    `Content-Length: 0x10\r\n`,
    `Content-Length : 6\r\n`,
    'Content-Length: \r\n',
    `Content-Length: 6 \r\n${te}`,
    'Content-Length: 00000000006\r\nTransfer-Encoding: chunked\r\n',
  ];
  const broken = [
    '0\r\n\r',
    '0 \r\n\r\n',
    '0;x\r\n\r\n',
    '0;\n\r\n\r\n',
    '00000000000000000000\r\n\r\n',
    '0x0\r\n\r\n',
    '\r\n0\r\n\r\n',
    '1\r\nxx\r\n0\r\n\r\n',
    '2\r\nx\r\n0\r\n\r\n',
    '0\n\n',
    '0\r\nX: y\r\nTransfer-Encoding: x\r\n\r\n',
    '-0\r\n\r\n',
    '0_0\r\n\r\n',
  ];
  return [
    ...framings.map(
      (framing, number) =>
        [
          `the framing ${JSON.stringify(framing.slice(0, 60))}`,
          wrap(framing, chunksOf(number)),
        ] as [string, string],
    ),
    // A request may follow well-formed chunks. This one has no token, so it must be refused.
    ...broken.map(
      (body) =>
        [
          `the chunks ${JSON.stringify(body)}`,
          wrap(te, `${body}GET /api/v1/${SMUGGLED} HTTP/1.1\r\n${HOST}\r\n`),
        ] as [string, string],
    ),
  ];
}

/** Well-formed requests that clients hardly ever send. */
function oddities(authorization: string): [string, string][] {
  const get = `GET /api/v1/customers HTTP/1.1\r\n${HOST}${authorization}\r\n\r\n`;
  return [
    ['a hundred requests at once', get.repeat(100)],
    ['a request behind nonsense', `nonsense\r\n\r\n${get}`],
    ['nonsense behind a request', `${get}nonsense\r\n\r\n`],
    ['empty lines before a request', `${'\r\n'.repeat(50)}${get}`],
    ['bare line feeds', get.replaceAll('\r\n', '\n')],
    ['bare carriage returns', get.replaceAll('\r\n', '\r')],
    ['a GET with a body', get.replace('\r\n\r\n', '\r\nContent-Length: 2\r\n\r\n{}')],
    [
      'a DELETE with chunks',
      `DELETE /api/v1/customers/CUS-1 HTTP/1.1\r\n${HOST}${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'HTTP/1.0 that is kept alive',
      get.replace('1.1', '1.0').replace('\r\n\r\n', '\r\nConnection: keep-alive\r\n\r\n').repeat(2),
    ],
    [
      'a gzip transfer',
      `POST /api/v1/businesses HTTP/1.1\r\n${HOST}${authorization}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{]\r\n0\r\n\r\n`,
    ],
  ];
}

// Requests whose method Node's parser does not know. The parser stops at the method and
// reports the bytes. If these contain the whole head, the request is answered as any other
// ("405 METHOD_NOT_ALLOWED with Allow").

import { METHODS } from 'node:http';

/** Node's report of bytes that its parser refuses. */
export interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that arrived together, including requests before the refused one. */
  readonly rawPacket?: Buffer;
  /** The number of bytes that the parser had read when it stopped. */
  readonly bytesParsed?: number;
}

/** RFC 9110, section 5.6.2. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** RFC 9112, sections 3 and 5: a request line in origin form, then fields without folding. */
const REQUEST_LINE = new RegExp(`^(${TOKEN}) (/[!-~]*) HTTP/1\\.[01]$`);
const FIELD = new RegExp(`^(${TOKEN}):[ \\t]*([\\t -~\\x80-\\xff]*?)[ \\t]*$`);
const HEAD_END = '\r\n\r\n';

/**
 * The request whose method stopped the parser, without its body. Undefined if
 * something else stopped the parser, or if the head is not whole or malformed.
 */
export function requestOfUnknownMethod(error: ParserError): Request | undefined {
  const { code, rawPacket, bytesParsed } = error;
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket || bytesParsed === undefined) return undefined;
  const packet = rawPacket.toString('latin1');
  // The parser stops inside the method, which begins the packet or follows another request.
  const start = packet.lastIndexOf('\n', bytesParsed - 1) + 1;
  const end = packet.indexOf(HEAD_END, start);
  if (end === -1) return undefined;
  const [requestLine = '', ...fields] = packet.slice(start, end).split('\r\n');
  const [, method, target] = REQUEST_LINE.exec(requestLine) ?? [];
  // A known method means that the packet begins within something else, not with a request.
  if (method === undefined || target === undefined || METHODS.includes(method)) return undefined;
  const headers = headersOf(fields);
  return headers && requestOf(method, target, headers);
}

function headersOf(fields: readonly string[]): Headers | undefined {
  const headers = new Headers();
  for (const field of fields) {
    const [, name, value] = FIELD.exec(field) ?? [];
    if (name === undefined || value === undefined) return undefined;
    headers.append(name, value);
  }
  return headers;
}

function requestOf(method: string, target: string, headers: Headers): Request | undefined {
  const url = `http://localhost${target}`;
  if (!URL.canParse(url)) return undefined;
  const request = new Request(url, { headers });
  // The constructor would turn `get` into `GET`, but methods are case-sensitive (RFC 9110, section 9.1).
  return Object.defineProperty(request, 'method', { value: method });
}

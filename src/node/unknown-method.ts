// Requests whose method Node's parser does not know. The parser gives them up
// at the method and hands over the bytes: where the whole head is among these,
// the request is answered as any other ("405 METHOD_NOT_ALLOWED with Allow").

import { METHODS } from 'node:http';

/** What Node tells of bytes that its parser refuses. */
export interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that arrived together, requests before the refused one included. */
  readonly rawPacket?: Buffer;
  /** How many of them the parser had read when it gave up. */
  readonly bytesParsed?: number;
}

/** RFC 9110, section 5.6.2. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** RFC 9112, sections 3 and 5: a request line in origin form, then fields without folding. */
const REQUEST_LINE = new RegExp(`^(${TOKEN}) (/[!-~]*) HTTP/1\\.[01]$`);
const FIELD = new RegExp(`^(${TOKEN}):[ \\t]*([\\t -~\\x80-\\xff]*?)[ \\t]*$`);
const HEAD_END = '\r\n\r\n';

/**
 * The request that the parser gave up for its method, without its body.
 * Undefined where it was given up for something else, where its head is not
 * whole, or where that is malformed, too.
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
  // A known method here: the packet begins inside of something, and this is not where the request does.
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
  // Given to the constructor, `get` would become `GET`: methods are case-sensitive (RFC 9110, section 9.1).
  return Object.defineProperty(request, 'method', { value: method });
}

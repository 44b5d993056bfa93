// Requests whose method Node's parser does not know. The parser stops at the method and
// reports the bytes. The rest of the head is read here, and the request is answered as any other
// ("405 METHOD_NOT_ALLOWED with Allow").

import { METHODS, maxHeaderSize } from 'node:http';
import type { Duplex } from 'node:stream';
import { HEADER_READ_TIMEOUT_MS } from '../../core/domain/limits.js';

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
const INVALID_METHOD = 'HPE_INVALID_METHOD';
const HEAD_END = '\r\n\r\n';

/** A first line that is not whole. */
const LINE_BEGINNING = new RegExp(`^${TOKEN}(?: (?:/[!-~]*(?: [HTP/1.0]{0,8}\\r?)?)?)?$`);
const NOT_IN_TOKEN = new RegExp(`[^${TOKEN.slice(1, -2)}]`);

/** The request without its body, or the code of the error that its bytes are. */
export type Gathered = Request | string;

/**
 * The request whose method stopped the parser. Its head is read to the end, in the time and
 * size of any head. Undefined if something else stopped the parser, or no request begins here.
 */
export function requestOfUnknownMethod(
  error: ParserError,
  socket: Duplex,
): Promise<Gathered> | undefined {
  const { code, rawPacket, bytesParsed } = error;
  if (code !== INVALID_METHOD || !rawPacket || bytesParsed === undefined) return undefined;
  const packet = rawPacket.toString('latin1');
  const head = packet.slice(methodStart(packet, bytesParsed));
  return isBeginning(head) ? wholeHead(head, socket) : undefined;
}

/**
 * The parser stops inside the method, which begins the packet or follows another request. A JSON
 * object before it ends with no letter. Bytes of another body, or the lack of letters that came in
 * an earlier packet, give another method that is unknown too. If that leaves no method or a known
 * one ("GE", " /…"; "M", "GET /…"), the request counts as malformed: nothing tells it from one.
 */
function methodStart(packet: string, bytesParsed: number): number {
  let start = bytesParsed;
  while (start > 0 && !NOT_IN_TOKEN.test(packet.charAt(start - 1))) start--;
  return start;
}

function isBeginning(head: string): boolean {
  const end = head.indexOf('\r\n');
  const line = end === -1 ? head : head.slice(0, end);
  return (end === -1 ? LINE_BEGINNING : REQUEST_LINE).test(line);
}

/** Node still delivers the bytes that follow those that its parser refused. */
function wholeHead(first: string, socket: Duplex): Promise<Gathered> {
  return new Promise((resolve) => {
    let head = first;
    const finish = (gathered: Gathered) => {
      clearTimeout(timer);
      socket.off('data', read).off('end', giveUp).off('close', giveUp);
      // What follows, such as a body, is read and dropped.
      socket.resume();
      resolve(gathered);
    };
    const giveUp = () => finish(INVALID_METHOD);
    const look = () => {
      const end = head.indexOf(HEAD_END);
      if (end > maxHeaderSize || (end === -1 && head.length > maxHeaderSize))
        finish('HPE_HEADER_OVERFLOW');
      else if (end !== -1) finish(requestOfHead(head.slice(0, end)) ?? INVALID_METHOD);
      else if (!isBeginning(head)) giveUp();
    };
    const read = (bytes: Buffer) => {
      head += bytes.toString('latin1');
      look();
    };
    const timer = setTimeout(() => finish('ERR_HTTP_REQUEST_TIMEOUT'), HEADER_READ_TIMEOUT_MS);
    socket.on('data', read).on('end', giveUp).on('close', giveUp);
    // Also where nothing is read while earlier requests wait: a head is small.
    socket.resume();
    look();
  });
}

function requestOfHead(head: string): Request | undefined {
  const [requestLine = '', ...fields] = head.split('\r\n');
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

// The body of an HTTP/1.1 message in a text of one character a byte: by its length
// or in chunks (RFC 9112, sections 6 and 7.1).

export interface MessageBody {
  readonly body: string;
  /** The text behind the message. */
  readonly rest: string;
}

/** Undefined if the body is not yet whole. */
export function messageBody(
  headers: ReadonlyMap<string, string>,
  text: string,
): MessageBody | undefined {
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

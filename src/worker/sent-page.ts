// A page of records between two machines. A call's answer has at most 32 MiB, and
// a page of large records is longer. So the texts of a long page are streamed,
// which also keeps them out of the memory of both machines.

import { areTexts, type Rows, type RowsPage } from '../domain/listing.js';

/** Above this many characters a page is streamed. */
const STREAM_ABOVE_CHARACTERS = 1_000_000;
/** Characters that are encoded and sent at a time. */
const PIECE_CHARACTERS = 65_536;
/** The separator of RFC 7464. JSON contains this character only as an escape. */
const SEPARATOR = '\u001e';

export interface SentPage {
  readonly total: number;
  /** Either the texts or one of the streams is there. */
  readonly items?: readonly string[];
  /** The texts in UTF-8, each followed by a separator. */
  readonly stream?: ReadableStream<Uint8Array>;
  /** The comma-separated text of all rows, in UTF-8. */
  readonly joined?: ReadableStream<Uint8Array>;
}

export function sentPage({ items, total }: RowsPage): SentPage {
  if (!areTexts(items)) return { total, joined: streamOf(items) };
  return isShort(items) ? { total, items } : { total, stream: streamOf(ended(items)) };
}

export function receivedPage({ items, stream, joined, total }: SentPage): RowsPage {
  const rows: Rows | undefined =
    items ?? (joined && piecesOf(joined)) ?? (stream && commaSeparated(textsOf(stream)));
  if (rows === undefined) throw new Error('the page came without its texts');
  return { items: rows, total };
}

function isShort(items: readonly string[]): boolean {
  let characters = 0;
  for (const item of items) characters += item.length;
  return characters <= STREAM_ABOVE_CHARACTERS;
}

function* ended(items: readonly string[]): Generator<string> {
  for (const item of items) yield item + SEPARATOR;
}

/** Encodes on demand: until it is sent, a text takes no memory beside the record's own. */
function streamOf(texts: Iterable<string> | AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const source = gathered(texts);
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}

/** Gathers short texts, because each piece costs the same. No piece is empty: a stream of bytes refuses empty ones. */
async function* gathered(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const text of texts) {
    if (piece !== '' && piece.length + text.length > PIECE_CHARACTERS) {
      yield piece;
      piece = '';
    }
    piece += text;
  }
  if (piece !== '') yield piece;
}

async function* commaSeparated(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let separator = '';
  for await (const text of texts) {
    yield separator + text;
    separator = ',';
  }
}

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const bytes of stream) yield decoder.decode(bytes, { stream: true });
}

async function* textsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let begun: string[] = [];
  for await (const bytes of stream) {
    const [first = '', ...rest] = decoder.decode(bytes, { stream: true }).split(SEPARATOR);
    begun.push(first);
    for (const part of rest) {
      yield begun.join('');
      begun = [part];
    }
  }
}

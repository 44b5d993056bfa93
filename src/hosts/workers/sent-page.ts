// A page of records between two machines. A call's answer has at most 32 MiB, and a page
// of large records can be longer, so a long page is streamed. That also keeps it out of the
// memory of both machines.

import { areTexts, type Rows, type RowsPage } from '../../core/domain/listing.js';

/** Above this many characters a page is streamed. */
const STREAM_ABOVE_CHARACTERS = 1_000_000;
/** Characters that are encoded and sent at a time. */
const PIECE_CHARACTERS = 65_536;

export interface SentPage {
  readonly total: number;
  /** Either the texts or the stream is set. */
  readonly items?: readonly string[];
  /** The comma-separated text of all rows, in UTF-8. */
  readonly joined?: ReadableStream<Uint8Array>;
}

export function sentPage({ items, total }: RowsPage): SentPage {
  if (!areTexts(items)) return { total, joined: streamOf(items) };
  return isShort(items) ? { total, items } : { total, joined: streamOf(commaSeparated(items)) };
}

export function receivedPage({ items, joined, total }: SentPage): RowsPage {
  const rows: Rows | undefined = items ?? (joined && piecesOf(joined));
  if (rows === undefined) throw new Error('the page came without its texts');
  return { items: rows, total };
}

function isShort(items: readonly string[]): boolean {
  let characters = 0;
  for (const item of items) characters += item.length;
  return characters <= STREAM_ABOVE_CHARACTERS;
}

function* commaSeparated(texts: Iterable<string>): Generator<string> {
  let separator = '';
  for (const text of texts) {
    yield separator + text;
    separator = ',';
  }
}

/** Encodes on demand: until it is sent, a text takes no memory besides the record's own. */
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

/** Joins short texts, because each piece costs the same. No piece is empty, because a byte stream refuses empty ones. */
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

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const bytes of stream) yield decoder.decode(bytes, { stream: true });
}

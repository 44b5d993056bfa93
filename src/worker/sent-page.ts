// A page of records between two machines. A call's answer has at most 32 MiB, and
// a page of large records is longer. So the texts of a long page are streamed,
// which also keeps them out of the memory of both machines.

import type { Texts, TextsPage } from '../domain/listing.js';

/** Above this many characters a page is streamed. */
const STREAM_ABOVE_CHARACTERS = 1_000_000;
/** The separator of RFC 7464. JSON contains this character only as an escape. */
const SEPARATOR = '\u001e';

export interface SentPage {
  readonly total: number;
  /** The texts of a short page; undefined if there is a `stream`. */
  readonly items?: readonly string[];
  /** The texts in UTF-8, each followed by a separator. */
  readonly stream?: ReadableStream<Uint8Array>;
}

export function sentPage({ items, total }: TextsPage): SentPage {
  return isShort(items) ? { total, items } : { total, stream: streamOf(items) };
}

export function receivedPage({ items, stream, total }: SentPage): TextsPage {
  const texts: Texts | undefined = items ?? (stream && textsOf(stream));
  if (texts === undefined) throw new Error('the page came without its texts');
  return { items: texts, total };
}

function isShort(items: Texts): items is readonly string[] {
  if (!Array.isArray(items)) return false;
  let characters = 0;
  for (const item of items) characters += item.length;
  return characters <= STREAM_ABOVE_CHARACTERS;
}

/** Encodes each text when it is read, so that unsent texts are still the shared texts of the records. */
function streamOf(items: Texts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const source = each(items);
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value + SEPARATOR));
    },
  });
}

async function* each(items: Texts): AsyncGenerator<string> {
  yield* items;
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

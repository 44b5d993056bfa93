// An account's records as NDJSON, sent while they are read: memory holds a page.

import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import type { Service, StoredRecord } from '../data/service.js';
import { pagesOf } from '../data/walk.js';

const NAME_MAX_CHARACTERS = 60;

/**
 * One collection: a record a line, as `npm run import` takes it. The account: lines
 * of `{"collection", "record"}`, and a last one with the counts, without which the
 * export was broken off. Newest first. Where a page of records cannot be had,
 * `brokeOff` gets the error; it ends the connection, so that the browser does not
 * take the file for a whole one.
 */
export function exportStream(
  service: Service,
  account: string,
  collection: CollectionName | undefined,
  brokeOff: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const lines =
    collection === undefined
      ? accountLines(service, account)
      : collectionLines(service, account, collection);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await lines.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        brokeOff(error);
        controller.close();
      }
    },
    async cancel() {
      await lines.return();
    },
  });
}

async function* accountLines(service: Service, account: string): AsyncGenerator<string, void> {
  const counts: Record<string, number> = {};
  for (const collection of COLLECTION_NAMES) {
    counts[collection] = 0;
    for await (const page of recordPages(service, account, collection)) {
      counts[collection] += page.length;
      yield page.map((record) => `${JSON.stringify({ collection, record })}\n`).join('');
    }
  }
  yield `${JSON.stringify({ end: { account, records: counts } })}\n`;
}

async function* collectionLines(
  service: Service,
  account: string,
  collection: CollectionName,
): AsyncGenerator<string, void> {
  for await (const page of recordPages(service, account, collection)) {
    yield page.map((record) => `${JSON.stringify(record)}\n`).join('');
  }
}

function recordPages(service: Service, account: string, collection: CollectionName) {
  const records = service.records(account, collection);
  return pagesOf<StoredRecord>(
    service,
    (query) => records.list(query),
    ({ id }) => id,
  );
}

/** Headers of a download. Only letters and digits of the subject are in the file's name. */
export function downloadHeaders(account: string, what: string): Record<string, string> {
  const name = account.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, NAME_MAX_CHARACTERS);
  return {
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}-${what}.ndjson"`,
  };
}

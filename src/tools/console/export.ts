// An account's records as NDJSON, sent while they are read: memory holds a page.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { Service } from '../data/service.js';
import { recordPages } from '../data/walk.js';

const NAME_MAX_CHARACTERS = 60;

/**
 * Lines of `{"collection", "record"}`, newest first, and a last one with the counts, without which
 * the export broke off. If records can't be read, `brokeOff` gets the error: it ends the connection,
 * so that the browser doesn't take the file for a complete one.
 */
export function exportStream(
  service: Service,
  account: string,
  brokeOff: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const lines = linesOf(service, account);
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await lines.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
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

async function* linesOf(service: Service, account: string): AsyncGenerator<object, void> {
  const counts: Record<string, number> = {};
  for (const collection of COLLECTION_NAMES) {
    counts[collection] = 0;
    for await (const page of recordPages(service, account, collection)) {
      for (const record of page) yield { collection, record };
      counts[collection] += page.length;
    }
  }
  yield { end: { account, records: counts } };
}

/** Only letters, digits and hyphens of the subject are in the file's name. */
export function downloadHeaders(account: string): Record<string, string> {
  const name = account.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, NAME_MAX_CHARACTERS);
  return {
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}.ndjson"`,
  };
}

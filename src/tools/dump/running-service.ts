// A running service as the source of a dump, over its administration API: for a service that still
// answers while its database is damaged, because its memory has what the file has lost.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { AuditEvent } from '../../operator-client.js';
import { TurnedFile } from '../data/export/turned-file.js';
import { inWords, sentenceOf } from '../data/failures.js';
import type { Service } from '../data/service.js';
import { pagesOf, recordPages, subjectsOf } from '../data/walk.js';
import type { ContentLine, DumpSource } from './lines.js';

const NO_TIMES =
  'a running service has no times to read: every record gets the time of this dump; records without an owner are missing';

/** `made`: the time that every record gets, in milliseconds since 1970, UTC. */
export function serviceSource(service: Service, made: number): DumpSource {
  const remarks = [NO_TIMES];
  async function* lines(account?: string): AsyncGenerator<ContentLine> {
    await service.reach();
    const times = { created_at: made, updated_at: made };
    for (const owner of account === undefined ? await subjectsOf(service) : [account]) {
      let position = 0;
      for (const collection of COLLECTION_NAMES) {
        for await (const body of oldestFirst(recordPages(service, owner, collection))) {
          const { id } = JSON.parse(body);
          yield { collection, id, owner, position: ++position, ...times, body };
        }
      }
    }
    for await (const text of oldestFirst(eventPages(service, remarks))) {
      const { id, ...event } = JSON.parse(text);
      const line = { id, owner: event.owner_sub, event: JSON.stringify(event) };
      if (account === undefined || line.owner === account) yield line;
    }
  }
  return { kind: 'service', remarks, lines };
}

async function* eventPages(service: Service, remarks: string[]): AsyncGenerator<AuditEvent[]> {
  const { audit } = service.client;
  try {
    await audit.list({ page_size: 1 });
  } catch (error) {
    // It is in the database, not in memory. The records are worth a dump without it.
    remarks.push(`the audit log is missing: ${sentenceOf(error)}`);
    return;
  }
  const read = (query: { page: number; page_size: number }) => audit.list(query);
  yield* pagesOf<AuditEvent>(service, read, ({ id }) => String(id));
}

/** The API lists the newest first. Texts wait on disk, so memory holds a page. */
async function* oldestFirst(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  const turned = new TurnedFile();
  try {
    await inWords(async () => {
      for await (const page of pages) await turned.add(page);
    });
    for await (const page of turned.pages()) yield* page;
  } finally {
    await turned.remove();
  }
}

// Dumps a running service over its administration API: for one that still answers although its
// database is damaged, since its memory has what the file has lost.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { AuditEvent } from '../../operator-client.js';
import { oldestFirst } from '../data/export/reverse-file.js';
import { sentenceOf } from '../data/failures.js';
import { paginate, recordPages, subjectsOf } from '../data/paginate.js';
import type { Service } from '../data/service.js';
import type { Call } from '../program/command.js';
import { type ContentLine, eventLine, type Store } from './dump-file.js';

export function serviceStore(service: Service, { now, err }: Call): Store {
  async function* lines(): AsyncGenerator<ContentLine> {
    err('every record gets the time of this dump; records without an owner are missing\n');
    await service.reach();
    const made = now();
    for (const owner of await subjectsOf(service)) {
      for (const collection of COLLECTION_NAMES) {
        for await (const page of oldestFirst(recordPages(service, owner, collection))) {
          for (const body of page) {
            const { id } = JSON.parse(body);
            yield { collection, id, owner, created_at: made, updated_at: made, body };
          }
        }
      }
    }
    const read = (query: { page?: number; page_size: number }) => service.client.audit.list(query);
    try {
      await read({ page_size: 1 });
    } catch (error) {
      // It is in the database, not in memory. The records are worth dumping without it.
      return err(`the audit log is missing: ${sentenceOf(error)}\n`);
    }
    const pages = paginate<AuditEvent>(service, read, ({ id }) => String(id));
    for await (const page of oldestFirst(pages)) {
      for (const text of page) {
        const { id, ...event } = JSON.parse(text);
        yield eventLine(id, JSON.stringify(event));
      }
    }
  }
  return { kind: 'service', lines };
}

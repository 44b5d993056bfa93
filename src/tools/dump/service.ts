// Dumps a service by its address, or loads Workers. Workers deployed with MAINTENANCE=on give and take
// whole dumps. Any other service is dumped over its administration API: one whose database is damaged
// still has in memory what the file has lost.

import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { objectIn } from '../../core/json-line.js';
import type { AuditEvent } from '../../operator-client.js';
import { type DumpLine, linesOf, NDJSON } from '../../storage/dump/dump-lines.js';
import { oldestFirst } from '../data/export/reverse-file.js';
import { CommandError, sentenceOf } from '../data/failures.js';
import { paginate, recordPages, subjectsOf } from '../data/paginate.js';
import { Service, type Target } from '../data/service.js';
import type { Call } from '../program/command.js';
import type { Store } from './dump-file.js';

export function serviceStore(target: Target, call: Call): Store {
  const url = target.baseUrl.replace(/\/api\/v1$/, '/maintenance');
  const ask = (init: RequestInit) => {
    const headers = { 'X-Service-Admin-Key': target.adminKey };
    // The key must not follow a redirect to another host.
    return fetch(url, { ...init, headers, redirect: 'manual' }).catch((cause: unknown) => {
      throw new CommandError(`no answer from ${url}; check the address`, { cause });
    });
  };

  async function* lines(): AsyncGenerator<DumpLine> {
    const response = await ask({});
    if (response.body === null || response.headers.get('Content-Type') !== NDJSON) {
      await response.body?.cancel();
      return yield* linesByApi(new Service(target, call), call);
    }
    const texts = linesOf(response.body.pipeThrough(new TextDecoderStream()));
    for await (const text of texts) yield JSON.parse(text);
  }

  async function load(path: string): Promise<void> {
    const file = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array<ArrayBuffer>>;
    const body = file.pipeThrough(new CompressionStream('gzip'));
    const response = await ask({ method: 'PUT', body, duplex: 'half' } as RequestInit);
    if (response.status === 204) return;
    const { error }: { error?: { message?: string } } = objectIn(await response.text()) ?? {};
    const deploy = 'only Workers take a dump, deployed with --var MAINTENANCE:on';
    throw new CommandError(response.status === 404 ? deploy : (error?.message ?? deploy));
  }

  return { lines, load };
}

async function* linesByApi(service: Service, { err }: Call): AsyncGenerator<DumpLine> {
  err('every record gets the time of this dump; records without an owner are missing\n');
  await service.reach();
  const made = Date.now();
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
      yield { id, event: JSON.stringify(event) };
    }
  }
}

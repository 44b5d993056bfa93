// Dumps a service at an address, or loads Workers. Workers deployed with MAINTENANCE=on serve and accept
// dumps. Any other service is dumped over its administration API; if its database is damaged, it still
// has the records in memory.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { parseJsonLine } from '../../core/json-line.js';
import { type DumpLine, linesOf, NDJSON } from '../../storage/dump/dump-lines.js';
import { describeError } from '../data/errors.js';
import { oldestFirst } from '../data/export/reverse-file.js';
import { paginate, recordPages, subjectsOf } from '../data/paginate.js';
import { ServiceClient, type Target } from '../data/service-client.js';
import type { Call } from '../program/command.js';
import type { Store } from './dump-file.js';

export function serviceStore(target: Target, call: Call): Store {
  const url = target.baseUrl.replace(/\/api\/v1$/, '/maintenance');
  const service = new ServiceClient(target, call);
  const send = async (init: RequestInit) => {
    await service.checkReachable();
    const headers = { 'X-Service-Admin-Key': target.adminKey };
    // The key must not follow a redirect to another host.
    return fetch(url, { ...init, headers, redirect: 'manual' });
  };

  return {
    async *lines() {
      const response = await send({});
      if (response.body === null || response.headers.get('Content-Type') !== NDJSON) {
        await response.body?.cancel();
        return yield* linesByApi(service, call);
      }
      const texts = linesOf(response.body.pipeThrough(new TextDecoderStream()));
      for await (const text of texts) yield JSON.parse(text);
    },

    async load(path) {
      const response = await send({ method: 'PUT', body: gzipSync(readFileSync(path)) });
      if (response.status === 204) return;
      const { error } = Object(parseJsonLine(await response.text()));
      const deploy = 'only Workers accept a dump; deploy them with --var MAINTENANCE:on';
      throw new Error(response.status === 404 ? deploy : (error?.message ?? deploy));
    },
  };
}

async function* linesByApi(service: ServiceClient, { err }: Call): AsyncGenerator<DumpLine> {
  err('every record gets the time of this dump; records without an owner are missing\n');
  const now = Date.now();
  const times = { created_at: now, updated_at: now };
  for (const owner of await subjectsOf(service)) {
    for (const collection of COLLECTION_NAMES) {
      for await (const page of oldestFirst(recordPages(service, owner, collection))) {
        for (const body of page) {
          yield { collection, id: JSON.parse(body).id, owner, ...times, body };
        }
      }
    }
  }
  const { list } = service.client.audit;
  try {
    await list({ page_size: 1 });
  } catch (error) {
    // The log is in the database, not in memory. The records are worth dumping without it.
    return err(`the audit log is missing: ${describeError(error)}\n`);
  }
  for await (const page of oldestFirst(paginate(service, list, ({ id }) => String(id)))) {
    for (const text of page) {
      const { id, ...event } = JSON.parse(text);
      yield { id, event: JSON.stringify(event) };
    }
  }
}

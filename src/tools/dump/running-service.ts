// A running service as the source of a dump, over its administration API: for a service that still
// answers while its database is damaged, because its memory has what the file has lost. The API
// shows neither times nor the numbers of deleted records.

import { byCollection, COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { sequenceOf } from '../../core/domain/identifier.js';
import type { AuditEvent } from '../../operator-client.js';
import { Connection } from '../../storage/file/connection.js';
import { inWords, sentenceOf } from '../data/failures.js';
import type { Service, StoredRecord } from '../data/service.js';
import { pagesOf, type ReadPage, subjectsOf } from '../data/walk.js';
import type { ContentLine, DumpSource } from './lines.js';

const PAGE_ROWS = 200;

export class ServiceSource implements DumpSource {
  readonly kind = 'service';
  readonly #service: Service;
  readonly #made: number;
  readonly #highest = byCollection(() => 0);
  #auditProblem: string | undefined;

  /** `made`: the time that every record gets, in milliseconds since 1970, UTC. */
  constructor(service: Service, made: number) {
    this.#service = service;
    this.#made = made;
  }

  async *lines(account: string | undefined): AsyncGenerator<ContentLine> {
    await this.#service.reach();
    const owners = account === undefined ? await subjectsOf(this.#service) : [account];
    for (const owner of owners) yield* this.#recordsOf(owner);
    yield* this.#events(account);
  }

  highest() {
    return Object.fromEntries(Object.entries(this.#highest).filter(([, highest]) => highest > 0));
  }

  remarks(): readonly string[] {
    return [
      'a running service does not tell times: every record has that of this dump; records without an owner are missing',
      ...(this.#auditProblem === undefined
        ? []
        : [`the audit log is missing: ${this.#auditProblem}`]),
    ];
  }

  async close(): Promise<void> {}

  async *#recordsOf(owner: string): AsyncGenerator<ContentLine> {
    const times = { created_at: this.#made, updated_at: this.#made };
    let position = 0;
    for (const collection of COLLECTION_NAMES) {
      const source = this.#service.records(owner, collection);
      const pages = pagesOf<StoredRecord>(
        this.#service,
        (query) => source.list(query),
        ({ id }) => id,
      );
      for await (const body of oldestFirst(pages)) {
        const { id } = JSON.parse(body);
        this.#highest[collection] = Math.max(this.#highest[collection], sequenceOf(collection, id));
        yield { collection, id, owner, position: ++position, ...times, body };
      }
    }
  }

  async *#events(account: string | undefined): AsyncGenerator<ContentLine> {
    const { client } = this.#service;
    try {
      await client.audit.list({ page_size: 1 });
    } catch (error) {
      // It is in the database, not in memory. The records are worth a dump without it.
      this.#auditProblem = sentenceOf(error);
      return;
    }
    const read: ReadPage<AuditEvent> = (query) => client.audit.list(query);
    const pages = pagesOf(this.#service, read, ({ id }) => String(id));
    for await (const text of oldestFirst(pages)) {
      const { id, ...event } = JSON.parse(text);
      const owner = event.owner_sub;
      if (account !== undefined && owner !== account) continue;
      yield { id, owner, event: JSON.stringify(event) };
    }
  }
}

/** The API lists the newest first. Texts wait on disk, so memory holds a page. */
async function* oldestFirst(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  const waiting = new Connection(':memory:');
  try {
    waiting.value('pragma temp_store = file');
    waiting.value('create temp table waiting (n integer primary key, text text)');
    await inWords(async () => {
      for await (const rows of pages) {
        const texts = JSON.stringify(rows.map((row) => JSON.stringify(row)));
        waiting.value('insert into waiting (text) select value from json_each(?1)', [texts]);
      }
    });
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const rows = waiting.rows(
        'select n, text from waiting where n < ?1 order by n desc limit ?2',
        [before, PAGE_ROWS],
      );
      if (rows.length === 0) return;
      for (const row of rows) yield String(row['text']);
      before = Number(rows.at(-1)?.['n']);
    }
  } finally {
    waiting.close();
  }
}

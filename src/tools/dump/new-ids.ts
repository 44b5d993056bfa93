// New ids for a storage in which an id is given once for all accounts: on Workers two accounts may
// both have an ORD-0001. The record that was created first keeps its id; each other one gets the
// next number that no record ever had. The index is on disk, so memory holds a page of it.

import { open, rename } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { formatId } from '../../core/domain/identifier.js';
import type { JsonObject } from '../../core/domain/json.js';
import type { Sequences } from '../../core/records/record-storage.js';
import { Connection } from '../../storage/file/connection.js';
import type { RecordLine } from './lines.js';

const OWNER_ONLY = 0o600;
const PAGE_ROWS = 1_000;
const TABLES = [
  'pragma temp_store = file',
  `create temp table ids (
     line integer primary key, owner text, collection text, id text, created_at integer)`,
  'create temp table new_ids (line integer primary key, owner, collection, id, number integer)',
];
const PUT = `
  insert into ids select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
    from json_each(?1)`;
/** `?1`: accounts that do not count, as JSON. `?2`: highest numbers. In the order of creation, so that younger records get higher numbers. */
const ASSIGN = `
  insert into new_ids
  select line, owner, collection, id,
         coalesce(?2 ->> collection, 0)
           + row_number() over (partition by collection order by created_at, owner, line)
    from (select *, row_number() over (partition by collection, id order by created_at, owner, line) as n
            from ids where owner is null or owner not in (select value from json_each(?1)))
   where n > 1`;
const REACHED = 'select collection, max(number) as highest from new_ids group by collection';
const IN_ORDER = 'select * from new_ids where line > ?1 order by line limit ?2';

export interface Renumbered {
  readonly line: number;
  readonly owner: string | null;
  readonly collection: string;
  readonly oldId: string;
  readonly newId: string;
}

export class NewIds {
  readonly #connection = new Connection(':memory:');
  #waiting: unknown[] = [];

  constructor() {
    for (const sql of TABLES) this.#connection.value(sql);
  }

  /** `line`: ascending. */
  add(line: number, { owner, collection, id, created_at }: RecordLine): void {
    const subject = owner === null ? null : JSON.stringify(owner);
    this.#waiting.push([line, subject, collection, JSON.stringify(id), created_at]);
    if (this.#waiting.length === PAGE_ROWS) this.#put();
  }

  /** Gives the new ids; no record of `withheld` accounts counts. Returns the highest numbers then. */
  assign(highest: Sequences, withheld: readonly string[]): Sequences {
    this.#put();
    const subjects = withheld.map((owner) => JSON.stringify(owner));
    this.#connection.value(ASSIGN, [JSON.stringify(subjects), JSON.stringify(highest)]);
    const reached = this.#connection
      .rows(REACHED)
      .map((row) => [row['collection'], row['highest']]);
    return { ...highest, ...Object.fromEntries(reached) };
  }

  *inOrder(): Generator<Renumbered, undefined> {
    for (let last = 0; ; ) {
      const rows = this.#connection.rows(IN_ORDER, [last, PAGE_ROWS]);
      if (rows.length === 0) return;
      for (const row of rows) {
        last = Number(row['line']);
        const collection = String(row['collection']) as CollectionName;
        yield {
          line: last,
          owner: row['owner'] === null ? null : JSON.parse(String(row['owner'])),
          collection,
          oldId: JSON.parse(String(row['id'])),
          newId: formatId(collection, Number(row['number'])),
        };
      }
    }
  }

  close(): void {
    this.#connection.close();
  }

  #put(): void {
    if (this.#waiting.length > 0) this.#connection.value(PUT, [JSON.stringify(this.#waiting)]);
    this.#waiting = [];
  }
}

/** The record with its new id, in its text, too. */
export function renamed(line: RecordLine, id: string): RecordLine {
  const before = `{"id":${JSON.stringify(line.id)}`;
  // The rest of the text stays to the letter.
  const body = line.body.startsWith(before)
    ? `{"id":${JSON.stringify(id)}${line.body.slice(before.length)}`
    : JSON.stringify({ ...(JSON.parse(line.body) as JsonObject), id });
  return { ...line, id, body };
}

/** Writes the list as CSV; resolves with the number of records. Writes none if no id changed. */
export async function writeNewIds(path: string, ids: Iterable<Renumbered>): Promise<number> {
  const part = `${path}.part`;
  let count = 0;
  let file: Awaited<ReturnType<typeof open>> | undefined;
  try {
    for (const { owner, collection, oldId, newId } of ids) {
      file ??= await open(part, 'w', OWNER_ONLY);
      if (count++ === 0)
        await file.write(stringify([['account', 'collection', 'old_id', 'new_id']]));
      await file.write(stringify([[owner ?? '', collection, oldId, newId]]));
    }
    await file?.sync();
  } finally {
    await file?.close();
  }
  if (count > 0) await rename(part, path);
  return count;
}

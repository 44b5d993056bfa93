// The accounts in a database file, for a move: which there are, and each one's records
// in the order of their creation. The file is a backup, or the database of a stopped service.

import { stat } from 'node:fs/promises';
import {
  byCollection,
  type CollectionName,
  isCollectionName,
} from '../../core/domain/collection-name.js';
import { sequenceOf } from '../../core/domain/identifier.js';
import { isJsonObject } from '../../core/domain/json.js';
import type { PutRow, Sequences } from '../../core/records/record-storage.js';
import { ofNoCollection, storedFacts } from '../../core/records/stored-facts.js';
import { codeOf } from '../backup/file-copy.js';
import { type Owner, ownersOf } from '../backup/owners.js';
import { Connection } from '../file/connection.js';
import { explained, messageOf } from '../file/connection-errors.js';
import { COLUMNS_VERSION } from '../file/file-schema.js';
import { expectOurs, expectWhole } from '../file/own-database.js';
import { rowsOf, storedPage } from '../file/stored-pages.js';
import { LOAD_SEQUENCES } from '../records-table.js';
import { type MovedRow, piecesOf } from './moved-rows.js';

/** An event may have 1,000 names of 200 characters. */
const EVENTS_PAGE_ROWS = 100;
const ROWS_AT = `
  select collection, id, body, created_at, updated_at from records
   where position in (select value from json_each(?1)) order by position`;
const EVENTS_AFTER = 'select id, event from audit_events where id > ?1 order by id limit ?2';
const FIND_SEQUENCES = "select name from sqlite_master where type = 'table' and name = 'sequences'";

/** Where an account's record stands in the file. */
interface Place {
  readonly position: number;
  readonly characters: number;
}

export interface FileEvent {
  readonly id: number;
  /** Empty where it belongs to no account. */
  readonly owner: string;
  /** JSON text. */
  readonly event: string;
}

export class FileAccounts {
  readonly #connection: Connection;
  readonly #places = new Map<string, Place[]>();
  readonly #highest: Record<CollectionName, number> = byCollection(() => 0);
  /** Rows without an owner, which belong to no account. */
  unowned = 0;
  events = 0;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Looks through the whole file. Rejects with one sentence where a service holds it, or a service would not start on it. */
  static async open(path: string): Promise<FileAccounts> {
    let connection: Connection | undefined;
    try {
      if (!(await stat(path)).isFile()) throw new Error('it is not a file');
      connection = new Connection(path);
      connection.value('pragma locking_mode = exclusive');
      expectOurs(connection);
      expectWhole(connection);
      const file = new FileAccounts(connection);
      file.#survey();
      return file;
    } catch (error) {
      connection?.close();
      throw new Error(`the file ${path} cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** Subjects that have records, in order. */
  get owners(): string[] {
    return [...this.#places.keys()].sort();
  }

  /** The same, each with the time of its oldest record. */
  ages(): Iterable<Owner> {
    return ownersOf(this.#connection);
  }

  recordsOf(owner: string): number {
    return this.#places.get(owner)?.length ?? 0;
  }

  get records(): number {
    let records = 0;
    for (const places of this.#places.values()) records += places.length;
    return records;
  }

  /** Of each collection, the highest number of its ids in this file, whichever account had it. */
  get sequences(): Sequences {
    return Object.fromEntries(Object.entries(this.#highest).filter(([, highest]) => highest > 0));
  }

  /** An account's records, oldest first, in pieces that are cut at the same places each time. */
  *pieces(owner: string): Generator<readonly MovedRow[]> {
    const places = this.#places.get(owner) ?? [];
    for (const piece of piecesOf(places, ({ characters }) => characters)) {
      const positions = JSON.stringify(piece.map(({ position }) => position));
      yield this.#connection.rows(ROWS_AT, [positions]).map((row): MovedRow => {
        const collection = String(row['collection']) as CollectionName;
        const body = String(row['body']);
        const { id } = storedFacts({ position: 0, collection, id: String(row['id']), body });
        return [collection, id, body, Number(row['created_at']), Number(row['updated_at'])];
      });
    }
  }

  /** All audit events, oldest first. Throws where one is none. */
  *auditEvents(): Generator<FileEvent> {
    let last = 0;
    for (;;) {
      const rows = this.#connection.rows(EVENTS_AFTER, [last, EVENTS_PAGE_ROWS]);
      for (const row of rows) {
        last = Number(row['id']);
        const event = String(row['event']);
        yield { id: last, owner: ownerOfEvent(event, last), event };
      }
      if (rows.length < EVENTS_PAGE_ROWS) return;
    }
  }

  close(): void {
    this.#connection.close();
  }

  #survey(): void {
    const hasColumns = Number(this.#connection.value('pragma user_version')) >= COLUMNS_VERSION;
    let last = 0;
    for (;;) {
      const page = storedPage(this.#connection, last, { checksJson: true, hasColumns });
      if (page === undefined) break;
      last = page.last;
      for (const row of rowsOf(page)) this.#place(row);
    }
    // All of them are looked at before anything is sent.
    for (const _ of this.auditEvents()) this.events++;
    this.#readSequences();
  }

  #place(row: PutRow): void {
    const { position, collection, id, body, owner } = row;
    if (!isCollectionName(collection)) throw ofNoCollection(row);
    this.#raise(collection, sequenceOf(collection, id));
    if (owner === undefined) this.unowned++;
    else this.#placesOf(owner).push({ position, characters: body.length });
  }

  /** A file of the first schema has no such table. */
  #readSequences(): void {
    if (this.#connection.value(FIND_SEQUENCES) === undefined) return;
    const stored: Record<string, number> = JSON.parse(
      String(this.#connection.value(LOAD_SEQUENCES)),
    );
    for (const [name, highest] of Object.entries(stored)) {
      if (isCollectionName(name)) this.#raise(name, highest);
    }
  }

  #raise(collection: CollectionName, highest: number): void {
    this.#highest[collection] = Math.max(this.#highest[collection], highest);
  }

  #placesOf(owner: string): Place[] {
    let places = this.#places.get(owner);
    if (places === undefined) {
      places = [];
      this.#places.set(owner, places);
    }
    return places;
  }
}

/** Throws where the text is no audit event. */
function ownerOfEvent(text: string, id: number): string {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    event = undefined;
  }
  const { owner_sub: owner, timestamp } = isJsonObject(event) ? event : {};
  if (typeof owner === 'string' && typeof timestamp === 'string') return owner;
  throw new Error(`the audit event ${id} of the file is none`);
}

function reasonOf(error: unknown): string {
  if (codeOf(error) === 'ENOENT') return 'there is no such file; check the path';
  if (codeOf(error) === 'EACCES') return 'this user may not read it';
  if (/SQLITE_BUSY|database is locked/i.test(messageOf(error))) {
    return 'a running service holds it; stop the service, or name a backup';
  }
  return explained(error);
}

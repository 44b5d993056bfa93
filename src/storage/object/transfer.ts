// The rows of the object's tables on their way out, and those of a dump on their way in: they wait
// in tables of their own, and take the place of the service's in one transaction.

import type { Sequences } from '../../core/records/record-storage.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import {
  type EventLine,
  PIECE_MAX_CHARACTERS,
  PIECE_MAX_ROWS,
  type RecordLine,
  recordProblem,
} from '../dump/dumped-rows.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../records-table.js';
import { MEMORY_MAX_BYTES, memoryOf } from './memory-limit.js';
import { BODY_MAX_BYTES } from './object-record-storage.js';
import { CREATE_AUDIT_EVENTS, type ObjectStorage, type SqlRow } from './object-storage.js';

/** The key and the long text of each table. */
const TABLES = {
  records: { key: 'position', text: 'body' },
  audit_events: { key: 'id', text: 'event' },
} as const;
export type Table = keyof typeof TABLES;
export const isTable = (name: string): name is Table => Object.hasOwn(TABLES, name);

/** Rows by their columns, in order of their key. */
export interface Piece {
  readonly rows: readonly SqlRow[];
  readonly isLast: boolean;
}

/** `load` names the dump: another one begins anew. Rows that have arrived already are written again. */
export interface LoadPiece {
  readonly load: string;
  readonly records: readonly (RecordLine & { readonly position: number })[];
  readonly events: readonly EventLine[];
}

/** How much must have arrived. */
export interface LoadEnd {
  readonly load: string;
  readonly records: number;
  readonly events: number;
  readonly highest: Sequences;
}

const STAGE = [
  'drop table if exists new_records',
  'drop table if exists new_audit_events',
  'drop table if exists load',
  'create table load (name text not null) strict',
  `create table new_records (position integer primary key, collection text not null,
     id text not null, body text not null, created_at integer not null,
     updated_at integer not null) strict`,
  CREATE_AUDIT_EVENTS.replace('audit_events', 'new_audit_events'),
];
const PUT_RECORD = 'insert or replace into new_records values (?1, ?2, ?3, ?4, ?5, ?6)';
const PUT_EVENT = 'insert or replace into new_audit_events values (?1, ?2)';
const STAGED = `
  select (select count(*) from new_records) as records,
         (select count(*) from new_audit_events) as events`;
const SWAP = [
  'drop table records',
  'drop table audit_events',
  'delete from sequences',
  'alter table new_records rename to records',
  'alter table new_audit_events rename to audit_events',
  'create unique index records_by_id on records (collection, id)',
  'drop table load',
];

export class Transfer {
  readonly #storage: ObjectStorage;
  readonly #memoryMaxBytes: number;

  /** `memoryMaxBytes`: see `memoryOf`. */
  constructor(storage: ObjectStorage, memoryMaxBytes = MEMORY_MAX_BYTES) {
    this.#storage = storage;
    this.#memoryMaxBytes = memoryMaxBytes;
  }

  rowsAfter(table: Table, after: number): Piece {
    const { key, text } = TABLES[table];
    const rows: SqlRow[] = [];
    let characters = 0;
    const query = `select * from ${table} where ${key} > ?1 order by ${key}`;
    for (const row of this.#storage.sql.exec<SqlRow>(query, after)) {
      characters += String(row[text]).length;
      const isFull = rows.push(row) === PIECE_MAX_ROWS || characters > PIECE_MAX_CHARACTERS;
      if (isFull) return { rows, isLast: false };
    }
    return { rows, isLast: true };
  }

  highest(): Sequences {
    const [row] = this.#rows<{ sequences: string }>(LOAD_SEQUENCES);
    return JSON.parse(row?.sequences ?? '{}');
  }

  /** Throws, with nothing stored, if the service holds records, or if a row would keep it from starting. */
  take({ load, records, events }: LoadPiece): void {
    for (const line of records) {
      const problem = recordProblem(line, BODY_MAX_BYTES);
      if (problem !== undefined) throw new Error(problem);
    }
    this.#storage.transactionSync(() => {
      if (this.#loading() !== load) {
        this.#expectNew();
        for (const statement of STAGE) this.#rows(statement);
        this.#rows('insert into load values (?1)', load);
      }
      for (const { position, collection, id, body, created_at, updated_at } of records) {
        this.#rows(PUT_RECORD, position, collection, id, body, created_at, updated_at);
      }
      for (const { id, event } of events) this.#rows(PUT_EVENT, id, event);
    });
  }

  /** Throws, with nothing changed, unless all has arrived, fits into memory and finds a new service. */
  finish({ load, records, events, highest }: LoadEnd): void {
    if (this.#loading() !== load) throw new Error('another load has begun; run this one again');
    const [staged] = this.#rows<{ records: number; events: number }>(STAGED);
    if (staged?.records !== records || staged.events !== events) {
      throw new Error(
        `${staged?.records} records and ${staged?.events} events of ${records} and ${events} have arrived; run the load again`,
      );
    }
    this.#expectNew();
    let memory = 0;
    for (const { body } of this.#storage.sql.exec<{ body: string }>(
      'select body from new_records',
    )) {
      memory += memoryOf(body);
    }
    if (memory > this.#memoryMaxBytes) {
      throw new Error(
        `the records would take ${memory} bytes of memory; one object has room for ${this.#memoryMaxBytes}: load them into Postgres`,
      );
    }
    this.#storage.transactionSync(() => {
      for (const statement of SWAP) this.#rows(statement);
      this.#rows(PUT_SEQUENCES, JSON.stringify(highest));
    });
  }

  /** Throws if the service holds anything but its sample rows. */
  #expectNew(): void {
    const samples = new Map(sampleRows().map(({ position, body }) => [position, body]));
    const found = this.#rows<{ position: number; body: string }>(
      'select position, body from records limit ?1',
      samples.size + 1,
    );
    const events = this.#rows('select id from audit_events limit 1');
    const isNew = found.every(({ position, body }) => samples.get(position) === body);
    if (isNew && events.length === 0) return;
    throw new Error('the service holds records; load into a deployment under another name');
  }

  #loading(): string | undefined {
    const tables = this.#rows("select name from sqlite_schema where name = 'load'");
    return tables.length === 0
      ? undefined
      : this.#rows<{ name: string }>('select name from load')[0]?.name;
  }

  #rows<Row extends SqlRow>(statement: string, ...bindings: (string | number)[]): Row[] {
    return [...this.#storage.sql.exec<Row>(statement, ...bindings)];
  }
}

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
import { BODY_MAX_BYTES, MEMORY_MAX_BYTES, memoryOf, tooLargeFor } from './memory-limit.js';
import { CREATE_AUDIT_EVENTS, type ObjectStorage, rowsOf, type SqlRow } from './object-storage.js';

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

export interface LoadPiece {
  readonly records: readonly (RecordLine & { readonly position: number })[];
  readonly events: readonly EventLine[];
}

const STAGE = [
  'drop table if exists new_records',
  'drop table if exists new_audit_events',
  'drop table if exists load',
  'create table load (id text not null) strict',
  `create table new_records (position integer primary key, collection text not null,
     id text not null, body text not null, created_at integer not null,
     updated_at integer not null) strict`,
  CREATE_AUDIT_EVENTS.replace('audit_events', 'new_audit_events'),
];
/** A piece that is sent again, because its response was lost, is written again. */
const PUT_RECORD = 'insert or replace into new_records values (?1, ?2, ?3, ?4, ?5, ?6)';
const PUT_EVENT = 'insert or replace into new_audit_events values (?1, ?2)';
const SWAP = [
  'drop table records',
  'drop table audit_events',
  'delete from sequences',
  'alter table new_records rename to records',
  'alter table new_audit_events rename to audit_events',
  'create unique index records_by_id on records (collection, id)',
  'drop table load',
];

export function rowsAfter({ sql }: ObjectStorage, table: Table, after: number): Piece {
  const { key, text } = TABLES[table];
  const rows: SqlRow[] = [];
  let characters = 0;
  const query = `select * from ${table} where ${key} > ?1 order by ${key}`;
  for (const row of sql.exec<SqlRow>(query, after)) {
    characters += String(row[text]).length;
    const isFull = rows.push(row) === PIECE_MAX_ROWS || characters > PIECE_MAX_CHARACTERS;
    if (isFull) return { rows, isLast: false };
  }
  return { rows, isLast: true };
}

export function storedSequences(storage: ObjectStorage): Sequences {
  const [row] = rowsOf<{ sequences: string }>(storage, LOAD_SEQUENCES);
  return JSON.parse(row?.sequences ?? '{}');
}

/**
 * `load` names a run of `manage load`: another one begins anew. Throws, with nothing stored, if the
 * service holds records, or if a row would keep it from starting.
 */
export function takePiece(storage: ObjectStorage, load: string, piece: LoadPiece): void {
  for (const line of piece.records) {
    const problem = recordProblem(line, BODY_MAX_BYTES);
    if (problem !== undefined) throw new Error(problem);
  }
  storage.transactionSync(() => {
    if (loadUnderWay(storage) !== load) {
      expectNew(storage);
      for (const statement of STAGE) rowsOf(storage, statement);
      rowsOf(storage, 'insert into load values (?1)', load);
    }
    for (const { position, collection, id, body, created_at, updated_at } of piece.records) {
      rowsOf(storage, PUT_RECORD, position, collection, id, body, created_at, updated_at);
    }
    for (const { id, event } of piece.events) rowsOf(storage, PUT_EVENT, id, event);
  });
}

/**
 * To be called after the last piece. Throws, with nothing changed, unless the records fit into memory
 * (see `memoryOf`) and the service holds no others.
 */
export function finishLoad(
  storage: ObjectStorage,
  load: string,
  highest: Sequences,
  memoryMaxBytes = MEMORY_MAX_BYTES,
): void {
  if (loadUnderWay(storage) !== load) throw new Error('another load has begun; run this one again');
  expectNew(storage);
  let memory = 0;
  for (const { body } of storage.sql.exec<{ body: string }>('select body from new_records')) {
    memory += memoryOf(body);
  }
  if (memory > memoryMaxBytes) throw tooLargeFor(memoryMaxBytes, memory);
  storage.transactionSync(() => {
    for (const statement of SWAP) rowsOf(storage, statement);
    rowsOf(storage, PUT_SEQUENCES, JSON.stringify(highest));
  });
}

/** Throws if the service holds anything but its sample rows. */
function expectNew(storage: ObjectStorage): void {
  const samples = new Set(sampleRows().map(({ body }) => body));
  const events = rowsOf(storage, 'select id from audit_events limit 1');
  const first = `select body from records limit ${samples.size + 1}`;
  const bodies = rowsOf<{ body: string }>(storage, first);
  if (events.length === 0 && bodies.every(({ body }) => samples.has(body))) return;
  throw new Error('the service holds records; load into a deployment under another name');
}

function loadUnderWay(storage: ObjectStorage): string | undefined {
  const tables = rowsOf(storage, "select 1 from sqlite_schema where name = 'load'");
  if (tables.length === 0) return undefined;
  return rowsOf<{ id: string }>(storage, 'select id from load')[0]?.id;
}

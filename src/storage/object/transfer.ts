// All that the object stores, as the lines of a dump, on its way out and in.

import { objectIn } from '../../core/json-line.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import {
  assertRecord,
  type DumpLine,
  isEvent,
  isRecord,
  linesOf,
  recordLine,
} from '../dump/dump-lines.js';
import { LOAD_SEQUENCES, PUT_SEQUENCES } from '../records-table.js';
import { MEMORY_MAX_BYTES, memoryOf, tooLargeFor } from './memory-limit.js';
import { type ObjectStorage, rowsOf, type SqlRow } from './object-storage.js';

const PIECE_CHARACTERS = 65_536;
const PUT_RECORD = 'insert into records values (?1, ?2, ?3, ?4, ?5, ?6)';
const PUT_EVENT = 'insert into audit_events values (?1, ?2)';

/** The text of a dump in pieces, each of whole lines. Nothing may be written meanwhile. */
export function* dumpText(storage: ObjectStorage): Generator<string> {
  let piece = '';
  for (const line of dumpLines(storage)) {
    piece += `${JSON.stringify(line)}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* dumpLines(storage: ObjectStorage): Generator<DumpLine> {
  const { sql } = storage;
  for (const row of sql.exec('select * from records order by position')) yield recordLine(row);
  const events = 'select id, event from audit_events order by id';
  yield* sql.exec<SqlRow & { id: number; event: string }>(events);
  const [row] = rowsOf<{ sequences: string }>(storage, LOAD_SEQUENCES);
  yield { highest: JSON.parse(row?.sequences ?? '{}') };
}

/**
 * Stores a dump, compressed by gzip, in the place of the sample rows. Rejects, with nothing changed, if
 * the service holds other records, if a row would keep it from starting, or unless all fit into memory
 * (see `memoryOf`).
 */
export function loadDump(
  storage: ObjectStorage,
  compressed: ArrayBuffer,
  memoryMaxBytes = MEMORY_MAX_BYTES,
): Promise<void> {
  return storage.transaction(async () => {
    assertPristine(storage);
    for (const table of ['records', 'sequences']) rowsOf(storage, `delete from ${table}`);
    let [position, memory] = [0, 0];
    const bytes = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('gzip'));
    for await (const text of linesOf(bytes.pipeThrough(new TextDecoderStream()))) {
      const line = objectIn(text) ?? {};
      if (isRecord(line)) {
        assertRecord(line);
        const { collection, id, body, created_at, updated_at } = line;
        memory += memoryOf(body);
        if (memory > memoryMaxBytes) throw tooLargeFor(memoryMaxBytes, memory);
        rowsOf(storage, PUT_RECORD, ++position, collection, id, body, created_at, updated_at);
      } else if (isEvent(line)) rowsOf(storage, PUT_EVENT, line.id, line.event);
      else if ('highest' in line) rowsOf(storage, PUT_SEQUENCES, JSON.stringify(line.highest));
    }
  });
}

/** Throws if the service holds anything but its sample rows. */
function assertPristine(storage: ObjectStorage): void {
  const samples = new Set(sampleRows().map(({ body }) => body));
  const events = rowsOf(storage, 'select id from audit_events limit 1');
  const first = `select body from records limit ${samples.size + 1}`;
  const bodies = rowsOf<{ body: string }>(storage, first);
  if (events.length === 0 && bodies.every(({ body }) => samples.has(body))) return;
  throw new Error('the service holds records; load into a deployment under another name');
}

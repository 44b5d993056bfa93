// A dump that was read to its end before anything of it is loaded: whole, every record usable, no
// erased account in it, and each id given once if the target wants that.

import { writeFile } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import { formatId } from '../../core/domain/identifier.js';
import type { JsonObject } from '../../core/domain/json.js';
import type { Sequences } from '../../core/records/record-storage.js';
import { isBack } from '../../storage/erasures/came-back.js';
import type { Ledger } from '../../storage/erasures/ledger.js';
import { CommandError } from '../data/failures.js';
import { expectUsable, readDump } from './dump-file.js';
import {
  type ContentLine,
  Contents,
  type Digest,
  type Head,
  isEvent,
  isRecord,
  type RecordLine,
  type SourceKind,
  type Totals,
} from './lines.js';

export interface CheckedDump extends Digest {
  readonly source: SourceKind;
  /** At most this many records are loaded. */
  readonly records: number;
  /** The highest numbers of ids, the new ones included. */
  readonly highest: Sequences;
  /** Erased accounts that are left out, each with the reason. */
  readonly withheld: ReadonlyMap<string, string>;
  readonly newIds: readonly NewId[];
  /** What is loaded, from its first line each time it is called. */
  lines(): AsyncIterable<ContentLine>;
}

export interface NewId {
  readonly record: Omit<RecordLine, 'body'>;
  readonly id: string;
}

/** What a target has now. */
export interface Loaded extends Pick<Totals, 'records' | 'events'> {
  /** The target had all of it already: an earlier run was interrupted after its end. */
  readonly wasThere?: boolean;
  /** Accounts that the target refused, with the reason. */
  readonly refused?: ReadonlyMap<string, string>;
  readonly remarks?: readonly string[];
}

export interface DumpTarget {
  /** It gives an id once for all accounts, so two accounts with the same id cannot both be loaded. */
  readonly givesIdsOnce: boolean;
  /** May be repeated after any end. Rejects if the target has something else. */
  load(dump: CheckedDump): Promise<Loaded>;
}

/** `ledger`: accounts that it knows as erased are left out. */
export async function checkedDump(
  path: string,
  ledger: Ledger | undefined,
  givesIdsOnce: boolean,
): Promise<CheckedDump> {
  const withheld = new Map<string, string>();
  const records: NewId['record'][] = [];
  let dump: Partial<Head & Totals & Digest> = {};
  for await (const line of readDump(path)) {
    if (!isRecord(line)) {
      // The last ones stay: the totals and the digest.
      if (!isEvent(line)) dump = { ...dump, ...line };
      continue;
    }
    expectUsable(line);
    const { body: _, ...record } = line;
    const erased = record.owner === null ? undefined : ledger?.erasedAt(record.owner);
    if (erased !== undefined && isBack(erased, record.created_at)) {
      withheld.set(record.owner ?? '', `it was erased on ${erased}; --bring-back loads it`);
    }
    // A file and Postgres have given each id once.
    const mayRepeat = dump.source !== 'file' && dump.source !== 'postgres';
    if (givesIdsOnce && mayRepeat) records.push(record);
  }
  const { source = 'file', sha256 = '', records: count = 0 } = dump;
  const isLoaded = ({ owner }: { owner: string | null }) => !withheld.has(owner ?? '');
  const highest = { ...dump.highest };
  const newIds = renumbered(records.filter(isLoaded), highest);
  const idsOf = new Map(newIds.map(({ record, id }) => [keyOf(record), id]));
  async function* lines() {
    for await (const line of readDump(path)) {
      if (isRecord(line)) {
        if (isLoaded(line)) yield renamed(line, idsOf.get(keyOf(line)) ?? line.id);
      } else if (isEvent(line) || ('account' in line && 'highest' in line)) yield line;
    }
  }
  return { source, sha256, records: count, highest, withheld, newIds, lines };
}

const keyOf = ({ owner, collection, id }: NewId['record']) =>
  JSON.stringify([owner, collection, id]);

/**
 * On Workers two accounts may both have an ORD-0001. The record that was created first keeps its
 * id; each other one, in the order of creation, gets the next number that no record ever had.
 */
function renumbered(records: NewId['record'][], highest: Record<string, number>): NewId[] {
  const given = new Set<string>();
  const newIds: NewId[] = [];
  // The sort is stable: what was created at one time keeps its order.
  for (const record of records.sort((one, other) => one.created_at - other.created_at)) {
    const { collection } = record;
    const key = `${collection} ${record.id}`;
    if (given.has(key)) {
      const number = (highest[collection] ?? 0) + 1;
      highest[collection] = number;
      newIds.push({ record, id: formatId(collection, number) });
    } else given.add(key);
  }
  return newIds;
}

/** As CSV, which only its owner may read. */
export function writeNewIds(path: string, newIds: readonly NewId[]): Promise<void> {
  const rows = newIds.map(({ record: { owner, collection, id: old }, id }) => [
    owner,
    collection,
    old,
    id,
  ]);
  const text = stringify([['account', 'collection', 'old_id', 'new_id'], ...rows]);
  return writeFile(path, text, { mode: 0o600, flush: true });
}

/** The record with its id, in its text, too. */
function renamed(line: RecordLine, id: string): RecordLine {
  if (id === line.id) return line;
  const before = `{"id":${JSON.stringify(line.id)}`;
  // The rest of the text stays as it is.
  const body = line.body.startsWith(before)
    ? `{"id":${JSON.stringify(id)}${line.body.slice(before.length)}`
    : JSON.stringify({ ...(JSON.parse(line.body) as JsonObject), id });
  return { ...line, id, body };
}

/** The load of a database that has nothing or everything of the dump. */
export async function loadWhole(
  dump: CheckedDump,
  wasThere: boolean,
  database: { put(): Promise<void>; lines(): AsyncIterable<ContentLine>; name: string },
): Promise<Loaded> {
  const expected = await Contents.of(dump.lines());
  if (!wasThere) await database.put();
  const found = await Contents.of(database.lines());
  const { records, events, contents } = found;
  if (contents === expected.contents) {
    return { records, events, wasThere, remarks: [`contents ${contents}`] };
  }
  throw new CommandError(
    wasThere
      ? `${database.name} has other records; load into a new one`
      : `${database.name} does not return what was loaded; load it again`,
  );
}

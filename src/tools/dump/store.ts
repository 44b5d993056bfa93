// What a dump is made of, and what one is loaded into; and a dump that was read to its end before
// anything of it is loaded.

import { formatId } from '../../core/domain/identifier.js';
import { PIECE_MAX_CHARACTERS, PIECE_MAX_ROWS } from '../../storage/dump/dumped-rows.js';
import { isBack } from '../../storage/erasures/came-back.js';
import type { Ledger } from '../../storage/erasures/ledger.js';
import {
  type ContentLine,
  Contents,
  type End,
  expectUsable,
  type Head,
  isEvent,
  isRecord,
  type RecordLine,
  readDump,
} from './dump-file.js';

export interface Store {
  readonly kind: 'file' | 'postgres' | 'workers' | 'service';
  /** The records of an account stand together. `account`: the only one whose records are read. */
  lines(account?: string): AsyncIterable<ContentLine>;
  /** Takes everything or, of Workers, accounts that are named in the result with the reason, not. May be repeated after any end. */
  load(dump: CheckedDump): Promise<ReadonlyMap<string, string> | undefined>;
}

export type CheckedDump = Awaited<ReturnType<typeof checkedDump>>;

/** Rejects if the dump isn't whole or has an unusable record. `ledger`: accounts that it knows as erased are left out. */
export async function checkedDump(path: string, ledger: Ledger | undefined, target: Store['kind']) {
  let end = {} as Head & End;
  const withheld = new Map<string, string>();
  const keepers = new Map<string, Omit<RecordLine, 'body'>>();
  for await (const line of readDump(path)) {
    if (!isRecord(line)) {
      if (!isEvent(line)) end = { ...end, ...line };
      continue;
    }
    expectUsable(line);
    const { body: _, ...record } = line;
    const erased = ledger?.erasedAt(line.owner ?? '');
    if (erased !== undefined && isBack(erased, line.created_at)) {
      withheld.set(line.owner ?? '', `it was erased on ${erased}; --bring-back loads it`);
    } else if (target !== 'workers' && !/^(file|postgres)$/.test(end.source)) {
      // On Workers two accounts may both have an ORD-0001: the older record keeps it.
      const oldest = keepers.get(keyOf(line))?.created_at ?? Number.POSITIVE_INFINITY;
      if (line.created_at < oldest) keepers.set(keyOf(line), record);
    }
  }
  const newIds: object[] = [];
  const loaded = new Contents();
  /** What is loaded, once. */
  async function* lines(): AsyncGenerator<ContentLine> {
    const highest: Record<string, number> = { ...end.highest };
    for await (let line of readDump(path)) {
      if (isRecord(line)) {
        const { owner, collection, id } = line;
        if (withheld.has(owner ?? '')) continue;
        if ((keepers.get(keyOf(line)) ?? line).owner !== owner) {
          highest[collection] = (highest[collection] ?? 0) + 1;
          line = renamedTo(formatId(collection, highest[collection]), line);
          newIds.push({ account: owner, collection, old_id: id, new_id: line.id });
        }
      } else if (!isEvent(line) && !('account' in line && 'highest' in line)) continue;
      loaded.add(line);
      yield line;
    }
  }
  return { ...end, withheld, newIds, loaded, lines };
}

const keyOf = ({ collection, id }: RecordLine) => `${collection} ${id}`;

/** The record with another id, in its text, too; the rest of the text stays as it is. */
function renamedTo(id: string, line: RecordLine): RecordLine {
  const before = `{"id":${JSON.stringify(line.id)}`;
  const body = line.body.startsWith(before)
    ? `{"id":${JSON.stringify(id)}${line.body.slice(before.length)}`
    : JSON.stringify({ ...JSON.parse(line.body), id });
  return { ...line, id, body };
}

/** Lines of one kind and account, for one statement or call; a longer line is alone. */
export async function* batchesOf(lines: AsyncIterable<ContentLine>) {
  let batch: ContentLine[] = [];
  let [characters, group] = [0, ''];
  for await (const line of lines) {
    const [text, of] = isRecord(line)
      ? [line.body, `record ${line.owner}`]
      : isEvent(line)
        ? [line.event, 'event']
        : ['', 'highest'];
    characters += text.length;
    const isFull = batch.length === PIECE_MAX_ROWS || characters > PIECE_MAX_CHARACTERS;
    if (batch.length > 0 && (isFull || of !== group)) {
      yield batch;
      [batch, characters] = [[], text.length];
    }
    batch.push(line);
    group = of;
  }
  if (batch.length > 0) yield batch;
}

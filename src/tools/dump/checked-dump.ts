// A dump that was read to its end before anything of it is loaded: whole, every record usable, no
// erased account in it, and each id given once if the target wants that.

import type { Sequences } from '../../core/records/record-storage.js';
import { isBack } from '../../storage/erasures/came-back.js';
import type { Ledger } from '../../storage/erasures/ledger.js';
import { CommandError } from '../data/failures.js';
import { contentLines, readWholeDump, type WholeDump } from './dump-file.js';
import {
  type ContentLine,
  type Contents,
  type EventLine,
  expectUsable,
  type Head,
  isEvent,
  isRecord,
  type RecordLine,
  type TotalsLine,
} from './lines.js';
import { NewIds, type Renumbered, renamed } from './new-ids.js';

const BATCH_LINES = 1_000;
const BATCH_CHARACTERS = 4_000_000;

/** What a target loads. */
export interface Loading {
  readonly head: Head;
  /** Names the dump. */
  readonly sha256: string;
  /** At most this many are loaded. */
  readonly records: number;
  /** The highest numbers of ids, the new ones included. */
  readonly highest: Sequences;
  /** From the first line, each time it is called. */
  lines(): AsyncIterable<ContentLine>;
}

export interface Loaded {
  /** `contents`: where the target was read back. */
  readonly totals: Omit<TotalsLine, 'highest' | 'contents'> & { readonly contents?: string };
  /** The target had all of it already: an earlier run was interrupted after its end. */
  readonly wasThere: boolean;
  /** Accounts that the target refused, with the reason. */
  readonly refused?: ReadonlyMap<string, string>;
  readonly remarks?: readonly string[];
}

export interface DumpTarget {
  /** It gives an id once for all accounts, so two accounts with the same id cannot both be loaded. */
  readonly givesIdsOnce: boolean;
  /** May be repeated after any end. Rejects if the target has something else. */
  load(dump: Loading): Promise<Loaded>;
  close(): Promise<void>;
}

export interface Choice {
  /** Undefined: all accounts. */
  readonly account: string | undefined;
  /** Accounts that it knows as erased are left out. Undefined: none is. */
  readonly ledger: Ledger | undefined;
  readonly givesIdsOnce: boolean;
}

export class CheckedDump implements Loading {
  readonly head: Head;
  readonly sha256: string;
  readonly records: number;
  readonly highest: Sequences;
  /** Erased accounts that are left out, each with the time of its erasure. */
  readonly withheld: ReadonlyMap<string, string>;
  readonly #path: string;
  readonly #account: string | undefined;
  readonly #newIds: NewIds | undefined;

  private constructor(
    { path, head, sha256, totals: { records, highest } }: WholeDump,
    account: string | undefined,
    withheld: ReadonlyMap<string, string>,
    newIds: NewIds | undefined,
  ) {
    this.#path = path;
    this.#account = account;
    this.#newIds = newIds;
    this.head = head;
    this.sha256 = sha256;
    this.records = records;
    this.withheld = withheld;
    this.highest = newIds?.assign(highest, [...withheld.keys()]) ?? highest;
  }

  static async read(path: string, { account, ledger, givesIdsOnce }: Choice): Promise<CheckedDump> {
    const withheld = new Map<string, string>();
    const newIds = givesIdsOnce ? new NewIds() : undefined;
    let hasAny = false;
    let current: string | null | undefined;
    let erased: string | undefined;
    const whole = await readWholeDump(path, (line, number) => {
      if (!isChosen(line, account)) return;
      hasAny = true;
      if (!isRecord(line)) return;
      expectUsable(line);
      const { owner, created_at } = line;
      if (owner !== null) {
        if (owner !== current) erased = ledger?.erasedAt(owner);
        if (erased !== undefined && isBack(erased, created_at)) withheld.set(owner, erased);
      }
      current = owner;
      newIds?.add(number, line);
    });
    if (account !== undefined && !hasAny) {
      throw new CommandError(`${path} has no account ${JSON.stringify(account)}`);
    }
    return new CheckedDump(whole, account, withheld, newIds);
  }

  async *lines(): AsyncGenerator<ContentLine> {
    const newIds = this.#newIds?.inOrder();
    let next = newIds?.next().value;
    for await (const [line, number] of contentLines(this.#path)) {
      if (!isChosen(line, this.#account)) continue;
      if (!isRecord(line)) yield line;
      else if (next?.line === number) {
        yield renamed(line, next.newId);
        next = newIds?.next().value;
      } else if (!this.withheld.has(line.owner ?? '')) yield line;
    }
  }

  renumbered(): Iterable<Renumbered> {
    return this.#newIds?.inOrder() ?? [];
  }

  close(): void {
    this.#newIds?.close();
  }
}

function isChosen(line: ContentLine, account: string | undefined): boolean {
  if (account === undefined) return true;
  return ('account' in line ? line.account : line.owner) === account;
}

/** Rows for a statement each. Adds every line to the contents. */
export async function* batchesOf(lines: AsyncIterable<ContentLine>, contents: Contents) {
  let records: RecordLine[] = [];
  let events: EventLine[] = [];
  let characters = 0;
  for await (const line of lines) {
    await contents.add(line);
    if (isRecord(line)) {
      records.push(line);
      characters += line.body.length;
    } else if (isEvent(line)) {
      events.push(line);
      characters += line.event.length;
    }
    if (records.length + events.length < BATCH_LINES && characters < BATCH_CHARACTERS) continue;
    yield { records, events };
    [records, events, characters] = [[], [], 0];
  }
  yield { records, events };
}

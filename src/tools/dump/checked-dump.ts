// A dump that was read to its end before anything of it is loaded: whole, every record usable, no
// erased account in it, and each id given once if the target wants that.

import type { Sequences } from '../../core/records/record-storage.js';
import { isBack } from '../../storage/erasures/came-back.js';
import type { Ledger } from '../../storage/erasures/ledger.js';
import { CommandError } from '../data/failures.js';
import { contentLines, readWholeDump } from './dump-file.js';
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
  readonly highest: Sequences;
  /** Erased accounts that are left out, each with the time of its erasure. */
  readonly withheld: ReadonlyMap<string, string>;
  readonly #path: string;
  readonly #account: string | undefined;
  readonly #newIds: NewIds | undefined;

  private constructor(
    whole: Awaited<ReturnType<typeof readWholeDump>>,
    { account }: Choice,
    seen: Seen,
  ) {
    this.#path = whole.path;
    this.#account = account;
    this.#newIds = seen.newIds;
    this.head = whole.head;
    this.sha256 = whole.sha256;
    this.withheld = seen.withheld;
    const { highest } = whole.totals;
    this.highest = seen.newIds?.assign(highest, [...seen.withheld.keys()]) ?? highest;
  }

  static async read(path: string, choice: Choice): Promise<CheckedDump> {
    const seen = new Seen(choice);
    const whole = await readWholeDump(path, (line, number) => seen.add(line, number));
    if (choice.account !== undefined && !seen.hasAny) {
      throw new CommandError(`${path} has no account ${JSON.stringify(choice.account)}`);
    }
    return new CheckedDump(whole, choice, seen);
  }

  async *lines(): AsyncGenerator<ContentLine> {
    const newIds = this.#newIds?.inOrder();
    let next = newIds?.next().value;
    for await (const [line, number] of contentLines(this.#path)) {
      if (!isChosen(line, this.#account)) continue;
      if (isRecord(line) && this.withheld.has(line.owner ?? '')) continue;
      const newId = isRecord(line) && next?.line === number ? next.newId : undefined;
      if (newId !== undefined) next = newIds?.next().value;
      yield newId !== undefined && isRecord(line) ? renamed(line, newId) : line;
    }
  }

  renumbered(): Iterable<Renumbered> {
    return this.#newIds?.inOrder() ?? [];
  }

  close(): void {
    this.#newIds?.close();
  }
}

/** What the first reading finds. */
class Seen {
  readonly withheld = new Map<string, string>();
  readonly newIds: NewIds | undefined;
  hasAny = false;
  readonly #choice: Choice;
  #owner: string | null | undefined;
  #erased: string | undefined;

  constructor(choice: Choice) {
    this.#choice = choice;
    this.newIds = choice.givesIdsOnce ? new NewIds() : undefined;
  }

  add(line: ContentLine, number: number): void {
    if (!isChosen(line, this.#choice.account)) return;
    this.hasAny = true;
    if (!isRecord(line)) return;
    expectUsable(line);
    const { owner, created_at } = line;
    if (owner !== this.#owner) {
      this.#owner = owner;
      this.#erased = owner === null ? undefined : this.#choice.ledger?.erasedAt(owner);
    }
    if (owner !== null && this.#erased !== undefined && isBack(this.#erased, created_at)) {
      this.withheld.set(owner, this.#erased);
    }
    this.newIds?.add(number, line);
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

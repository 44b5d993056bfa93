// Workers as the source of a dump and as the target of a load, by the admin Worker.

import { byCollection } from '../../core/domain/collection-name.js';
import { sequenceOf } from '../../core/domain/identifier.js';
import { objectIn } from '../../core/json-line.js';
import type { Sequences } from '../../core/records/record-storage.js';
import {
  AccountDigest,
  type DumpedRow,
  PIECE_MAX_CHARACTERS,
  PIECE_MAX_ROWS,
  piecesOf,
  sha256,
} from '../../storage/dump/dumped-rows.js';
import type {
  EventCursor,
  KnownAccounts,
  LeavingEvents,
  LeavingPiece,
  LoadPiece,
  LoadState,
  NamedEvent,
} from '../../storage/dump/worker-messages.js';
import { CommandError } from '../data/failures.js';
import { type AdminWorker, Refused } from './admin-worker.js';
import type { DumpTarget, Loading } from './checked-dump.js';
import {
  type AccountLine,
  type ContentLine,
  type DumpSource,
  type EventLine,
  isEvent,
  isRecord,
  type RecordLine,
  rowOf,
} from './lines.js';

/** Of a hash, so that an event is known by its text. */
const EPOCH_CHARACTERS = 16;

export class WorkersSource implements DumpSource {
  readonly kind = 'workers';
  readonly #worker: AdminWorker;
  readonly #highest = byCollection(() => 0);
  #changed = 0;

  constructor(worker: AdminWorker) {
    this.#worker = worker;
  }

  async *lines(account: string | undefined): AsyncGenerator<ContentLine> {
    await this.#worker.reach();
    const owners = account === undefined ? this.#owners() : [account];
    for await (const owner of owners) yield* this.#recordsOf(owner);
    yield* this.#events(account);
  }

  highest(): Sequences {
    return Object.fromEntries(Object.entries(this.#highest).filter(([, highest]) => highest > 0));
  }

  remarks(): readonly string[] {
    return this.#changed === 0
      ? []
      : [
          `${this.#changed} accounts were written to while they were read: a record that changed then is as it was before or after its change`,
        ];
  }

  async close(): Promise<void> {}

  async *#owners(): AsyncGenerator<string> {
    for (let after = ''; ; ) {
      const query = { after };
      const { owners, isLast } = await this.#worker.ask<KnownAccounts>('GET', '/accounts', query);
      yield* owners;
      if (isLast) return;
      after = owners.at(-1) ?? '';
    }
  }

  async *#recordsOf(account: string): AsyncGenerator<RecordLine | AccountLine> {
    const revisions = new Set<number>();
    let position = 0;
    for (let after = 0; ; ) {
      const query = { account, after: String(after) };
      const piece = await this.#worker.ask<LeavingPiece>('GET', '/records', query);
      revisions.add(piece.revision);
      for (const [collection, id, body, created_at, updated_at] of piece.rows) {
        this.#raise({ [collection]: sequenceOf(collection, id) });
        const times = { created_at, updated_at };
        yield { collection, id, owner: account, position: ++position, ...times, body };
      }
      if (piece.isLast) {
        if (revisions.size > 1) this.#changed++;
        this.#raise(piece.sequences);
        yield { account, highest: piece.sequences };
        return;
      }
      after = piece.last;
    }
  }

  async *#events(account: string | undefined): AsyncGenerator<EventLine> {
    let id = 0;
    for (let cursor: EventCursor = { timestamp: '', id: 0 }; ; ) {
      const query = { timestamp: cursor.timestamp, id: String(cursor.id) };
      const page = await this.#worker.ask<LeavingEvents>('GET', '/audit-events', query);
      for (const { event, name } of page.events) {
        const owner = String((objectIn(event) as { owner_sub?: string } | undefined)?.owner_sub);
        if (account === undefined || owner === account) yield { id: ++id, owner, name, event };
      }
      if (page.isLast) return;
      cursor = page.last;
    }
  }

  #raise(sequences: Sequences): void {
    for (const [name, number] of Object.entries(sequences)) {
      const collection = name as keyof Sequences;
      this.#highest[collection] = Math.max(this.#highest[collection], number);
    }
  }
}

/** Account by account: what has arrived stays, and another run of the same load continues after it. */
export class WorkersTarget implements DumpTarget {
  readonly givesIdsOnce = false;
  readonly #worker: AdminWorker;

  constructor(worker: AdminWorker) {
    this.#worker = worker;
  }

  async load(dump: Loading) {
    const { sha256: load, highest } = dump;
    await this.#worker.reach();
    const totals = { records: 0, events: 0 };
    const refused = new Map<string, string>();
    let account: LoadedAccount | undefined;
    let waiting: EventLine[] = [];
    let unowned = 0;
    const endAccount = async (own?: Sequences) => {
      const ended = account;
      account = undefined;
      if (ended === undefined) return;
      const { problem, records } = await ended.end(own ?? highest);
      if (problem === undefined) totals.records += records;
      else refused.set(ended.owner, problem);
    };
    const sendEvents = async () => {
      totals.events += await this.#send(waiting);
      waiting = [];
    };
    for await (const line of dump.lines()) {
      if (isEvent(line)) {
        waiting.push(line);
        if (waiting.length === PIECE_MAX_ROWS) await sendEvents();
      } else if (!isRecord(line)) {
        await endAccount(line.highest);
      } else if (line.owner === null) {
        unowned++;
      } else {
        if (line.owner !== account?.owner) await endAccount();
        account ??= new LoadedAccount(this.#worker, line.owner, load);
        await account.add(rowOf(line));
      }
    }
    await endAccount();
    await sendEvents();
    const remarks = unowned === 0 ? [] : [`${unowned} records without an owner were not loaded`];
    return { wasThere: false, totals, refused, remarks };
  }

  async close(): Promise<void> {}

  async #send(lines: readonly EventLine[]): Promise<number> {
    for (const piece of piecesOf(lines, ({ event }) => event.length)) {
      const events = await Promise.all(piece.map(named));
      const reply = await this.#worker.ask<{ known: number }>('PUT', '/audit-events', {}, events);
      if (reply.known === events.length) continue;
      throw new CommandError(
        `the audit log has taken ${reply.known} of ${events.length} events; run the load again`,
      );
    }
    return lines.length;
  }
}

/** An account on its way into its object. */
class LoadedAccount {
  readonly owner: string;
  readonly #worker: AdminWorker;
  readonly #load: string;
  readonly #digest = new AccountDigest();
  #rows: DumpedRow[] = [];
  #characters = 0;
  #from = 0;
  #state: LoadState = { state: 'loading', records: 0, digest: '' };
  #problem: string | undefined;

  constructor(worker: AdminWorker, owner: string, load: string) {
    this.#worker = worker;
    this.owner = owner;
    this.#load = load;
    if (!/[\p{Cc}\p{Cs}]/u.test(owner)) return;
    this.#problem = 'no request can have this subject: it contains control characters';
  }

  async add(row: DumpedRow): Promise<void> {
    const [, , body] = row;
    const isTooMuch = this.#characters + body.length > PIECE_MAX_CHARACTERS;
    if (this.#rows.length === PIECE_MAX_ROWS || (isTooMuch && this.#rows.length > 0)) {
      await this.#send();
    }
    this.#rows.push(row);
    this.#characters += body.length;
    await this.#digest.add(row);
  }

  async end(sequences: Sequences) {
    const contents = await this.#digest.contents();
    await this.#send({ ...contents, sequences });
    const { state, records, digest } = this.#state;
    if (this.#problem === undefined && digest !== contents.digest) {
      this.#problem =
        state === 'whole'
          ? `the account has other records (${records}) than the dump (${contents.records}); nothing was changed. To replace them, export the account, DELETE /accounts/SUBJECT of the admin Worker, and load again`
          : 'not all of it has arrived; run the load again';
    }
    return { problem: this.#problem, records: contents.records };
  }

  async #send(whole?: LoadPiece['whole']): Promise<void> {
    const from = this.#from;
    const rows = this.#state.records < from + this.#rows.length ? this.#rows : [];
    this.#from += this.#rows.length;
    this.#rows = [];
    this.#characters = 0;
    const isThere = this.#state.state === 'whole' || (rows.length === 0 && whole === undefined);
    if (isThere || this.#problem !== undefined) return;
    const piece: LoadPiece = { load: this.#load, from, rows, ...(whole && { whole }) };
    try {
      this.#state = await this.#worker.ask('PUT', '/records', { account: this.owner }, piece);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#problem = error.message;
    }
  }
}

/** The same event of the same storage has the same name in each dump. */
async function named({ id, owner, name, event }: EventLine): Promise<NamedEvent> {
  if (name) {
    const [of, epoch, number] = JSON.parse(name) as [string, string, number];
    return { owner: of, epoch, number, event };
  }
  return {
    owner,
    epoch: `file-${(await sha256(event)).slice(0, EPOCH_CHARACTERS)}`,
    number: id,
    event,
  };
}

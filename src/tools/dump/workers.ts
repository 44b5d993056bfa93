// Workers as the source of a dump and as the target of a load, by the admin Worker.

import type { Sequences } from '../../core/records/record-storage.js';
import { AccountDigest, sha256 } from '../../storage/dump/dumped-rows.js';
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
import { type Ask, Refused } from './admin-worker.js';
import type { CheckedDump, DumpTarget, Loaded } from './checked-dump.js';
import {
  batchesOf,
  type ContentLine,
  type DumpSource,
  type EventLine,
  eventLine,
  isEvent,
  isRecord,
  type RecordLine,
  rowOf,
} from './lines.js';

/** Of a hash, so that an event is known by its text. */
const EPOCH_CHARACTERS = 16;

export function workersSource(ask: Ask): DumpSource {
  const remarks: string[] = [];
  async function* lines(account?: string): AsyncGenerator<ContentLine> {
    let changed = 0;
    for await (const owner of account === undefined ? ownersIn(ask) : [account]) {
      const revisions = new Set<number>();
      yield* recordsOf(ask, owner, revisions);
      if (revisions.size > 1) changed++;
    }
    for await (const line of eventsIn(ask)) {
      if (account === undefined || line.owner === account) yield line;
    }
    if (changed === 0) return;
    remarks.push(
      `${changed} accounts were written to in the meantime: a record that changed is as it was before or after the change`,
    );
  }
  return { kind: 'workers', remarks, lines };
}

async function* ownersIn(ask: Ask): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const { owners, isLast } = await ask<KnownAccounts>('GET', '/accounts', { after });
    yield* owners;
    if (isLast) return;
    after = owners.at(-1) ?? '';
  }
}

async function* recordsOf(
  ask: Ask,
  account: string,
  revisions: Set<number>,
): AsyncGenerator<ContentLine> {
  let position = 0;
  for (let after = 0; ; ) {
    const query = { account, after: String(after) };
    const piece = await ask<LeavingPiece>('GET', '/records', query);
    revisions.add(piece.revision);
    for (const [collection, id, body, created_at, updated_at] of piece.rows) {
      position++;
      yield { collection, id, owner: account, position, created_at, updated_at, body };
    }
    if (piece.isLast) return yield { account, highest: piece.sequences };
    after = piece.last;
  }
}

async function* eventsIn(ask: Ask): AsyncGenerator<EventLine> {
  let id = 0;
  for (let cursor: EventCursor = { timestamp: '', id: 0 }; ; ) {
    const query = { timestamp: cursor.timestamp, id: String(cursor.id) };
    const page = await ask<LeavingEvents>('GET', '/audit-events', query);
    for (const { event, name } of page.events) yield { ...eventLine(++id, event), name };
    if (page.isLast) return;
    cursor = page.last;
  }
}

/** Account by account: what has arrived stays, and another run of the same load continues after it. */
export function workersTarget(ask: Ask): DumpTarget {
  return { givesIdsOnce: false, load: (dump) => loaded(ask, dump) };
}

async function loaded(ask: Ask, dump: CheckedDump): Promise<Loaded> {
  const totals = { records: 0, events: 0 };
  const refused = new Map<string, string>();
  let account: LoadedAccount | undefined;
  let unowned = 0;
  const endAccount = async (highest = dump.highest) => {
    const ended = account;
    account = undefined;
    const problem = await ended?.end(highest);
    if (problem === undefined) totals.records += ended?.records ?? 0;
    else refused.set(ended?.owner ?? '', problem);
  };
  for await (const batch of batchesOf(dump.lines())) {
    const records = batch.filter(isRecord);
    const events = batch.filter(isEvent);
    const [{ owner } = { owner: null }] = records;
    if (owner !== account?.owner) await endAccount(highestIn(batch, account?.owner));
    if (owner === null) unowned += records.length;
    else {
      account ??= new LoadedAccount(ask, owner, dump.sha256);
      await account.add(records);
    }
    if (events.length > 0) totals.events += await take(ask, events);
  }
  await endAccount();
  const remarks = unowned === 0 ? [] : [`${unowned} records without an owner were not loaded`];
  return { ...totals, refused, remarks };
}

/** Only Workers dump them for each account, behind its records. */
function highestIn([line]: readonly ContentLine[], owner: string | undefined) {
  return line !== undefined && 'highest' in line && line.account === owner
    ? line.highest
    : undefined;
}

async function take(ask: Ask, lines: readonly EventLine[]): Promise<number> {
  const events = await Promise.all(lines.map(named));
  const { known } = await ask<{ known: number }>('PUT', '/audit-events', {}, events);
  if (known === events.length) return known;
  throw new CommandError(
    `the audit log has taken ${known} of ${events.length} events; run the load again`,
  );
}

/** An account on its way into its object. */
class LoadedAccount {
  readonly owner: string;
  records = 0;
  readonly #ask: Ask;
  readonly #load: string;
  readonly #digest = new AccountDigest();
  #state: LoadState = { state: 'loading', records: 0, digest: '' };
  #problem: string | undefined;

  constructor(ask: Ask, owner: string, load: string) {
    this.#ask = ask;
    this.owner = owner;
    this.#load = load;
    if (!/[\p{Cc}\p{Cs}]/u.test(owner)) return;
    this.#problem = 'no request can have this subject: it contains control characters';
  }

  /** Sends the records that have not arrived yet. */
  async add(lines: readonly RecordLine[]): Promise<void> {
    const rows = lines.map(rowOf);
    for (const row of rows) await this.#digest.add(row);
    const from = this.records;
    this.records += rows.length;
    if (this.#state.records < this.records) await this.#send({ load: this.#load, from, rows });
  }

  /** Resolves with the reason why the account is not loaded. */
  async end(sequences: Sequences): Promise<string | undefined> {
    const whole = { ...(await this.#digest.contents()), sequences };
    await this.#send({ load: this.#load, from: this.records, rows: [], whole });
    const { state, records, digest } = this.#state;
    if (this.#problem !== undefined || digest === whole.digest) return this.#problem;
    return state === 'whole'
      ? `the account has other records (${records}) than the dump (${whole.records}); nothing was changed. To replace them, export the account, DELETE /accounts/SUBJECT of the admin Worker, and load again`
      : 'not all of it has arrived; run the load again';
  }

  async #send(piece: LoadPiece): Promise<void> {
    if (this.#state.state === 'whole' || this.#problem !== undefined) return;
    try {
      this.#state = await this.#ask('PUT', '/records', { account: this.owner }, piece);
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
  const epoch = `file-${(await sha256(event)).slice(0, EPOCH_CHARACTERS)}`;
  return { owner, epoch, number: id, event };
}

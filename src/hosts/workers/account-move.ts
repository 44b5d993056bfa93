// An account moves into its object, or out of it, in pieces. Each piece may be sent
// twice, and asked for twice. README.md of src/tools/move describes the whole move.

import { SAMPLE_OWNER } from '../../core/domain/sample-records.js';
import { type AccountLimits, quotaFailure } from '../../core/records/account-limits.js';
import { sampleRows } from '../../handler.js';
import type {
  ArrivingPiece,
  LeavingPiece,
  MovedState,
  MoveReply,
} from '../../storage/move/move-messages.js';
import {
  type AnnouncedAccount,
  type MovedRow,
  rowName,
  rowProblem,
} from '../../storage/move/moved-rows.js';
import { Arrival, rowsAfter, storedContents } from '../../storage/object/arrival.js';
import type { ObjectRecordStorage } from '../../storage/object/object-record-storage.js';
import type { ObjectStorage } from '../../storage/object/object-storage.js';
import type { Outbox } from './outbox.js';
import type { ServedAccount } from './served-account.js';

const NOTHING: MovedState = {
  state: 'none',
  records: 0,
  bytes: 0,
  digest: '',
  sequences: {},
  revision: 0,
  taken: 0,
};

export interface AccountMoveOptions {
  readonly storage: ObjectStorage;
  readonly recordStorage: ObjectRecordStorage;
  readonly outbox: Outbox;
  readonly limits: AccountLimits;
  readonly account: Pick<ServedAccount, 'empty' | 'reload'>;
}

export class AccountMove {
  readonly #options: AccountMoveOptions;
  readonly #arrival: Arrival;
  /** Pieces are taken one at a time. */
  #taking: Promise<unknown> = Promise.resolve();

  constructor(options: AccountMoveOptions) {
    this.#options = options;
    this.#arrival = new Arrival(options.storage);
  }

  /** Takes what it does not have of the piece: the other rows are here already. With the last row the account is whole, and is served from then on. */
  take(owner: string, piece: ArrivingPiece): Promise<MoveReply<MovedState>> {
    const taken = this.#taking.then(() => this.#take(owner, piece));
    this.#taking = taken.catch(() => {});
    return taken;
  }

  /** The object's contents; resolves when the directory has them, too. */
  async state(): Promise<MoveReply<MovedState>> {
    const { recordStorage, outbox, storage } = this.#options;
    const underWay = this.#arrival.underWay();
    if (underWay !== undefined) return this.#arriving(0);
    if (!recordStorage.hasTables) return accepted(NOTHING);
    if (!(await outbox.deliver()) || outbox.isPending) {
      return refused(503, 'the directory has not taken every change of the account yet; ask again');
    }
    const { revision } = outbox;
    const contents = await storedContents(storage);
    const sequences = await recordStorage.sequences();
    if (outbox.revision !== revision) return writtenTo();
    return accepted({ ...contents, state: 'whole', sequences, revision, taken: 0 });
  }

  /** The rows after a position. */
  async piece(after: number): Promise<MoveReply<LeavingPiece>> {
    const { recordStorage, outbox, storage } = this.#options;
    if (this.#arrival.underWay() !== undefined)
      return refused(409, 'the account is being moved in');
    const sequences = await recordStorage.sequences();
    if (!recordStorage.hasTables) {
      return accepted({ rows: [], last: 0, isLast: true, revision: 0, sequences });
    }
    return accepted({ ...rowsAfter(storage, after), revision: outbox.revision, sequences });
  }

  async #take(owner: string, piece: ArrivingPiece): Promise<MoveReply<MovedState>> {
    const { announced } = piece;
    // Before anything is written, so that a refused row leaves no trace.
    for (const row of piece.rows) {
      const problem = rowProblem(row, owner, this.#options.recordStorage.bodyMaxBytes);
      if (problem !== undefined) return refused(422, `the record ${rowName(row)} ${problem}`);
    }
    let underWay = this.#arrival.underWay();
    if (underWay === undefined) {
      const isTaken = await this.#expectEmpty(owner, announced);
      if (isTaken !== undefined) return isTaken;
      const tooMuch = quotaFailure(this.#options.limits, { records: 0, bytes: 0 }, announced);
      if (tooMuch?.ok === false) return refused(422, tooMuch.failure.message);
      await this.#options.account.reload(() => this.#arrival.begin(owner, announced));
      underWay = { owner, announced };
    }
    if (!isSame(underWay.announced, announced)) {
      const { records, bytes } = underWay.announced;
      return refused(
        409,
        `another move into the account has begun (${records} records, ${bytes} bytes) and was not finished; DELETE /accounts/SUBJECT of the admin Worker, or finish that move`,
      );
    }
    const before = this.#arrival.records;
    const problem = this.#append(announced, piece);
    if (problem !== undefined) return problem;
    const taken = this.#arrival.records - before;
    if (this.#arrival.records < announced.records) return this.#arriving(taken);
    return this.#finish(announced, taken);
  }

  /** Undefined if the object is empty. Anything else in the object stays as it is, and decides the answer. */
  async #expectEmpty(
    owner: string,
    announced: AnnouncedAccount,
  ): Promise<MoveReply<MovedState> | undefined> {
    const { recordStorage, account } = this.#options;
    if (!recordStorage.hasTables) return undefined;
    const found = await this.state();
    if (!found.ok || isSame(found.value, announced)) return found;
    if (owner === SAMPLE_OWNER && this.#isAsSown()) {
      await account.empty();
      return undefined;
    }
    const { records, bytes } = found.value;
    if (records === 0) {
      return refused(
        409,
        'the account was used before and has no records now; DELETE /accounts/SUBJECT of the admin Worker makes it empty, then send this again',
      );
    }
    return refused(
      409,
      `the account has other records (${records}, ${bytes} bytes) than these (${announced.records}, ${announced.bytes} bytes); nothing was changed. To put these in their place: export the account, DELETE /accounts/SUBJECT of the admin Worker, send this again`,
    );
  }

  /** Whether the object has the sample rows of this deployment, unchanged. */
  #isAsSown(): boolean {
    const { outbox, storage } = this.#options;
    const { rows } = rowsAfter(storage, 0);
    const seeded = sampleRows();
    return (
      outbox.revision === 1 &&
      rows.length === seeded.length &&
      rows.every(([, , body], i) => body === seeded[i]?.body)
    );
  }

  #append(
    announced: AnnouncedAccount,
    { from, rows }: ArrivingPiece,
  ): MoveReply<never> | undefined {
    const has = this.#arrival.records;
    // A piece that comes too early is not an error: the answer says where to go on.
    const fresh = from > has ? [] : rows.slice(has - from);
    if (has + fresh.length > announced.records) {
      return refused(422, `more than the ${announced.records} announced records were sent`);
    }
    const twice = this.#stored(fresh);
    return twice === undefined ? undefined : refused(422, twice);
  }

  #stored(rows: readonly MovedRow[]): string | undefined {
    try {
      if (rows.length > 0) this.#arrival.append(rows);
      return undefined;
    } catch (error) {
      if (!/UNIQUE/i.test(String(error))) throw error;
      return 'two records have the same id';
    }
  }

  async #finish(announced: AnnouncedAccount, taken: number): Promise<MoveReply<MovedState>> {
    const { storage, outbox, account } = this.#options;
    const contents = await storedContents(storage);
    if (contents.digest !== announced.digest || contents.bytes !== announced.bytes) {
      return refused(
        409,
        'what has arrived is not what was announced: the counts are the same, the digests are not; erase the account and move it again',
      );
    }
    await account.reload(() => {
      this.#arrival.end(announced);
      outbox.begin();
    });
    const { sequences } = announced;
    const { revision } = outbox;
    return accepted({ ...contents, state: 'whole', sequences, revision, taken });
  }

  #arriving(taken: number): MoveReply<MovedState> {
    const { records } = this.#arrival;
    return accepted({ ...NOTHING, state: 'arriving', records, taken });
  }
}

function isSame(held: AnnouncedAccount, announced: AnnouncedAccount): boolean {
  return held.records === announced.records && held.digest === announced.digest;
}

function writtenTo(): MoveReply<never> {
  return refused(503, 'the account was written to meanwhile; ask again');
}

function accepted<T>(value: T): MoveReply<T> {
  return { ok: true, value };
}

function refused(status: 409 | 422 | 503, message: string): MoveReply<never> {
  return { ok: false, status, message };
}

// An account is dumped from its object, or loaded into it, in pieces. Each piece may be sent or
// requested twice.

import { SAMPLE_OWNER } from '../../core/domain/sample-records.js';
import { quotaFailure } from '../../core/records/account-limits.js';
import { sampleRows } from '../../core/records/sample-rows.js';
import { utf8Length } from '../../core/records/utf8-length.js';
import { type DumpedRow, rowProblem } from '../../storage/dump/dumped-rows.js';
import type {
  LeavingPiece,
  LoadPiece,
  LoadState,
  Reply,
} from '../../storage/dump/worker-messages.js';
import {
  appendRows,
  arrivalUnderWay,
  arrivedSoFar,
  beginArrival,
  endArrival,
  rowsAfter,
  storedContents,
} from '../../storage/object/arrival.js';
import { PUT_SEQUENCES } from '../../storage/records-table.js';
import type { ObjectParts } from './served-account.js';

export class AccountDump {
  readonly #parts: ObjectParts;
  /** Pieces are stored one at a time. */
  #taking: Promise<unknown> = Promise.resolve();

  constructor(parts: ObjectParts) {
    this.#parts = parts;
  }

  /** The rows after a position. Before the first piece, the directory receives every audit event. */
  async leave(after: number): Promise<Reply<LeavingPiece>> {
    const { recordStorage, outbox, storage } = this.#parts;
    if (arrivalUnderWay(storage) !== undefined) {
      return refused(409, 'the account is being loaded; finish that, or DELETE /accounts/SUBJECT');
    }
    if (after === 0 && !(await outbox.deliver())) {
      return refused(503, 'the directory has not taken every change of the account; ask again');
    }
    const sequences = await recordStorage.sequences();
    const piece = recordStorage.hasTables
      ? rowsAfter(storage, after)
      : { rows: [], last: 0, isLast: true };
    return accepted({ ...piece, revision: outbox.revision, sequences });
  }

  /** Stores the rows that it doesn't have yet. The last piece completes the account, which is served from then on. */
  take(owner: string, piece: LoadPiece): Promise<Reply<LoadState>> {
    const taken = this.#taking.then(() => this.#take(owner, piece));
    this.#taking = taken.catch(() => {});
    return taken;
  }

  async #take(owner: string, piece: LoadPiece): Promise<Reply<LoadState>> {
    const { storage, recordStorage, account } = this.#parts;
    // Before anything is written, so that a refused row leaves no trace.
    for (const row of piece.rows) {
      const problem = rowProblem(row, owner, recordStorage.bodyMaxBytes);
      if (problem !== undefined) return refused(422, problem);
    }
    let underWay = arrivalUnderWay(storage);
    if (underWay === undefined && recordStorage.hasTables) {
      if (owner !== SAMPLE_OWNER || !this.#isPristineSeed()) return this.#held();
      await account.empty();
    }
    if (underWay === undefined) {
      underWay = { owner, load: piece.load };
      const begun = underWay;
      await account.reload(() => beginArrival(storage, begun));
    }
    if (underWay.load !== piece.load) {
      return refused(
        409,
        'another dump is being loaded into the account; finish that load, or DELETE /accounts/SUBJECT of the admin Worker',
      );
    }
    const problem = await this.#append(piece);
    if (problem !== undefined) return problem;
    const { records } = arrivedSoFar(storage);
    if (piece.whole === undefined || records !== piece.whole.records) {
      return accepted({ state: 'loading', records, digest: '' });
    }
    return this.#finish(piece.whole);
  }

  /** The account is in use: the sender compares it with what it would load. */
  async #held(): Promise<Reply<LoadState>> {
    const { storage, outbox } = this.#parts;
    const { revision } = outbox;
    const contents = await storedContents(storage);
    if (outbox.revision !== revision) return refused(503, 'the account was written to; ask again');
    return accepted({ state: 'whole', ...contents });
  }

  /** Whether the object has this deployment's sample rows, unchanged. */
  #isPristineSeed(): boolean {
    const { outbox, storage } = this.#parts;
    const { rows } = rowsAfter(storage, 0);
    const seeded = sampleRows();
    return (
      outbox.revision === 1 &&
      rows.length === seeded.length &&
      rows.every(([, , body], i) => body === seeded[i]?.body)
    );
  }

  /** Undefined: appended. A piece that comes too early isn't an error: the answer says where to continue. */
  async #append({ from, rows }: LoadPiece): Promise<Reply<never> | undefined> {
    const { storage, limits, account } = this.#parts;
    const held = arrivedSoFar(storage);
    const fresh = from > held.records ? [] : rows.slice(held.records - from);
    if (fresh.length === 0) return undefined;
    const tooMuch = quotaFailure(limits, held, { records: fresh.length, bytes: bytesOf(fresh) });
    try {
      if (tooMuch === undefined) return void appendRows(storage, fresh);
    } catch (error) {
      if (!/UNIQUE/i.test(String(error))) throw error;
    }
    // What has arrived can never be completed.
    await account.empty();
    const reason =
      tooMuch?.ok === false ? tooMuch.failure.message : 'two of its records have the same id';
    return refused(422, `${reason}; nothing of the account was kept`);
  }

  async #finish(whole: NonNullable<LoadPiece['whole']>): Promise<Reply<LoadState>> {
    const { storage, outbox, account } = this.#parts;
    const contents = await storedContents(storage);
    if (contents.digest !== whole.digest) {
      await account.empty();
      return refused(409, 'what has arrived differs from what was sent; load it again');
    }
    await account.reload(() => {
      storage.sql.exec(PUT_SEQUENCES, JSON.stringify(whole.sequences));
      endArrival(storage);
      outbox.begin();
    });
    return accepted({ state: 'whole', ...contents });
  }
}

function bytesOf(rows: readonly DumpedRow[]): number {
  return rows.reduce((sum, [, , body]) => sum + utf8Length(body), 0);
}

function accepted<T>(value: T): Reply<T> {
  return { ok: true, value };
}

function refused(status: 409 | 422 | 503, message: string): Reply<never> {
  return { ok: false, status, message };
}

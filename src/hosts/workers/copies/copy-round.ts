// A round copies every account, in several invocations: each one does a bounded amount of
// work and stores its state, and the next one continues from there.

import type { R2Bucket } from '@cloudflare/workers-types';
import type { Log } from '../../../core/log.js';
import type { AccountStub, DirectoryStub } from '../account-call.js';
import { copyAccount, NoAnswer } from './copied-account.js';
import {
  type CopyCounts,
  copyName,
  INCOMPLETE,
  type IndexedAccount,
  keyOf,
  lineOfEvent,
  MANIFEST,
  manifestOf,
  type Round,
} from './copy-format.js';
import { CopyWriter } from './copy-writer.js';
import type { RoundState } from './round-state.js';

/** The platform allows 10,000 calls an invocation: https://developers.cloudflare.com/workers/platform/limits/ */
const CALLS_MAX = 2_000;
/** Well within the 30 s of processor time that an invocation has. */
const BYTES_MAX = 100_000_000;
/** Shorter than the time between two invocations. */
const STEP_MAX_MS = 240_000;
/** In this many later invocations an account that gave no answer is asked again. */
const TRIES_MAX = 3;
/** If more accounts give no answer, the trouble is not theirs, and the round stops. */
const FAILED_MAX = 1_000;

const NOTHING: CopyCounts = {
  accounts: 0,
  records: 0,
  record_bytes: 0,
  audit_events: 0,
  changed_meanwhile: 0,
};

export interface CopyRoundOptions {
  readonly bucket: R2Bucket;
  readonly directory: () => DirectoryStub;
  readonly account: (owner: string) => AccountStub;
  readonly log: Log;
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  /** About how many calls one invocation makes. */
  readonly callsMax?: number;
}

export function newRound(now: number): Round {
  return {
    copy: copyName(now),
    begun: new Date(now).toISOString(),
    stage: 'accounts',
    after: '',
    failed: [],
    tries: 0,
    place: { timestamp: '', id: 0 },
    counts: NOTHING,
    files: [],
  };
}

/** One invocation's part of a round. */
export class CopyStep {
  readonly #options: CopyRoundOptions;
  readonly #writer: CopyWriter;
  readonly #endsAt: number;
  #calls = 0;

  constructor(options: CopyRoundOptions, state: RoundState, round: Round) {
    this.#options = options;
    this.#writer = new CopyWriter(options.bucket, state, round);
    this.#endsAt = options.clock() + STEP_MAX_MS;
  }

  /** Resolves with the round as it is stored then. Rejects if the directory or the bucket fails. */
  async run(): Promise<Round> {
    const { stage } = this.#writer.round;
    if (stage === 'accounts') await this.#copyAll();
    else if (stage === 'again') await this.#copyFailed();
    if (this.#writer.round.stage === 'audit' && !this.#isSpent) await this.#copyAudit();
    return this.#writer.round;
  }

  get #isSpent(): boolean {
    const { clock, callsMax = CALLS_MAX } = this.#options;
    const calls = this.#calls + this.#writer.calls;
    return calls >= callsMax || this.#writer.bytes >= BYTES_MAX || clock() >= this.#endsAt;
  }

  async #copyAll(): Promise<void> {
    const writer = this.#writer;
    let isLast = false;
    while (!isLast && !this.#isSpent) {
      const known = await this.#options.directory().knownAccounts(writer.round.after);
      this.#calls++;
      for (const { owner } of known.accounts) {
        if (this.#isSpent) return writer.store();
        const failed = (await this.#copy(owner)) ? [] : [owner];
        writer.change({ after: owner, failed: [...writer.round.failed, ...failed] });
        if (writer.round.failed.length > FAILED_MAX) throw new Error('too many accounts fail');
      }
      isLast = known.isLast;
    }
    if (isLast) writer.change({ stage: writer.round.failed.length > 0 ? 'again' : 'audit' });
    await writer.store();
  }

  /** Asks the accounts that gave no answer once more, in a later invocation. */
  async #copyFailed(): Promise<void> {
    const writer = this.#writer;
    const tries = writer.round.tries + 1;
    writer.change({ tries });
    for (const owner of writer.round.failed) {
      if (this.#isSpent) break;
      if (await this.#copy(owner)) {
        writer.change({ failed: writer.round.failed.filter((failed) => failed !== owner) });
      }
    }
    const isOver = writer.round.failed.length === 0 || tries >= TRIES_MAX;
    if (isOver) writer.change({ stage: 'audit' });
    await writer.store();
  }

  /** False if the account gives no answer, which does not end the round. */
  async #copy(owner: string): Promise<boolean> {
    const { account, log } = this.#options;
    const stub = () => {
      this.#calls++;
      return account(owner);
    };
    try {
      this.#count(await copyAccount(owner, stub, this.#writer));
      return true;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      log.error('account_copy_failed', error.cause, { owner_sub: owner });
      return false;
    }
  }

  #count(indexed: IndexedAccount): void {
    const writer = this.#writer;
    const { counts } = writer.round;
    writer.index(indexed);
    writer.change({
      counts: {
        ...counts,
        accounts: counts.accounts + 1,
        records: counts.records + indexed.records,
        record_bytes: counts.record_bytes + indexed.bytes,
        changed_meanwhile: counts.changed_meanwhile + Number(indexed.changed_meanwhile),
      },
    });
  }

  async #copyAudit(): Promise<void> {
    const writer = this.#writer;
    while (!this.#isSpent) {
      const { round } = writer;
      const piece = await this.#options.directory().eventsAfter(round.place);
      this.#calls++;
      for (const [i, event] of piece.events.entries()) {
        writer.add(lineOfEvent({ name: piece.names[i] ?? null, event }));
      }
      const audit_events = round.counts.audit_events + piece.events.length;
      writer.change({ place: piece.last, counts: { ...round.counts, audit_events } });
      if (piece.isLast) return this.#end();
      if (writer.isFull) await writer.store();
    }
    await writer.store();
  }

  /** The manifest makes the copy whole. It is written before the round is marked as ended; after that no invocation continues the round. */
  async #end(): Promise<void> {
    const { bucket, clock, log } = this.#options;
    const writer = this.#writer;
    await writer.store();
    const { round } = writer;
    const name = round.failed.length === 0 ? MANIFEST : INCOMPLETE;
    const text = JSON.stringify(manifestOf(round, clock()));
    await bucket.put(keyOf(round.copy, name), text);
    writer.change({ stage: 'ended' });
    await writer.store();
    const { copy, counts, failed } = round;
    if (failed.length === 0) log.info('copy_finished', { copy, ...counts });
    else
      log.error('copy_incomplete', new Error('accounts gave no answer'), {
        copy,
        missing: failed.length,
      });
  }
}

// The file with a replica. One service at a time has it; commits and Litestream's syncs
// take turns. In `sync` a commit is acknowledged when the replica has it.

import { setTimeout as delay } from 'node:timers/promises';
import { Litestream } from '../replication/litestream.js';
import { Replica } from '../replication/replica.js';
import type { ReplicaReport, ReplicationMode } from '../replication/replica-report.js';
import { lockService } from '../replication/service-lock.js';
import type { CommitTexts } from './commit-texts.js';
import { explained, messageOf } from './connection-errors.js';
import type { FileCommitResult, LibsqlFile } from './database-file.js';

export interface ThreadReplication {
  readonly mode: ReplicationMode;
  readonly socketPath: string;
  readonly databasePath: string;
  /** How long a start in `sync` waits for Litestream. */
  readonly startMaxMs: number;
}

export interface ReplicatedFileOptions {
  readonly replication: ThreadReplication;
  readonly open: () => Promise<LibsqlFile>;
  readonly report: (report: ReplicaReport) => void;
  /** One use of the file at a time. */
  readonly inTurn: <T>(use: () => Promise<T>) => Promise<T>;
}

const ASK_AGAIN_MS = 250;
/** While Litestream does not run, the log is written back when it is larger than this. */
const LOG_MAX_BYTES = 268_435_456;

/** A commit that waits for the replica. Others may use the file meanwhile. */
export class Unconfirmed {
  readonly result: Promise<FileCommitResult>;

  constructor(result: Promise<FileCommitResult>) {
    this.result = result;
  }
}

export class ReplicatedFile {
  readonly file: LibsqlFile;
  readonly replica: Replica;
  readonly release: () => void;
  readonly #mode: ReplicationMode;

  private constructor(
    file: LibsqlFile,
    release: () => void,
    { replication, report, inTurn }: ReplicatedFileOptions,
    litestream: Litestream,
  ) {
    this.file = file;
    this.release = release;
    this.#mode = replication.mode;
    this.replica = new Replica({
      mode: replication.mode,
      litestream,
      report,
      touch: () => inTurn(() => file.touch()),
      betweenCommits: (begin) => inTurn(async () => begin()),
      onLongAbsence: (pid) => {
        if (!isAlive(pid)) void inTurn(() => this.#emptyLongLog());
      },
    });
  }

  /** Rejects with one sentence if another service has the file or, in `sync`, if Litestream does not serve it. */
  static async open(options: ReplicatedFileOptions): Promise<ReplicatedFile> {
    const { replication } = options;
    const { mode, databasePath, socketPath, startMaxMs } = replication;
    const litestream = new Litestream({ socketPath, databasePath });
    let release = () => {};
    try {
      release = locked(databasePath);
      if (mode === 'sync') await identified(litestream, startMaxMs);
      const file = await options.open();
      const replicated = new ReplicatedFile(file, release, options, litestream);
      replicated.replica.start();
      return replicated;
    } catch (error) {
      release();
      litestream.close();
      throw error;
    }
  }

  async commit(texts: CommitTexts): Promise<FileCommitResult | Unconfirmed> {
    const { refusal } = this.replica;
    if (refusal !== undefined) return { status: 'rejected', error: refusal };
    await this.replica.turn();
    const result = await this.file.commit(texts);
    if (result.status === 'notStored') return result;
    this.replica.committed();
    if (this.#mode === 'async' || result.status !== 'committed') return result;
    const confirmed = this.replica.confirmed();
    return new Unconfirmed(
      confirmed.then((reason) =>
        reason === undefined ? result : { ...result, status: 'notReplicated', error: reason },
      ),
    );
  }

  async touch(): Promise<void> {
    const { refusal } = this.replica;
    if (refusal !== undefined) throw new Error(refusal);
    await this.replica.turn();
    await this.file.touch();
    this.replica.committed();
  }

  /** Resolves when the replica has everything that it can get. Afterwards Litestream is not asked any more. */
  async close(): Promise<void> {
    await this.replica.close();
  }

  /** Afterwards the replica's next sync sends the whole database, because Litestream sees that the log was emptied without it. */
  async #emptyLongLog(): Promise<void> {
    if (this.file.logBytes <= LOG_MAX_BYTES) return;
    // An empty log would count as a lost one after a kill; this commit is in it, if the disk has room.
    if (this.file.emptyLog()) await this.file.touch().catch(() => {});
  }
}

/** Throws one sentence if another service holds the file. */
function locked(databasePath: string): () => void {
  try {
    return lockService(databasePath);
  } catch (error) {
    throw new Error(explained(error), { cause: error });
  }
}

/** Asks until Litestream answers: it may have been started at the same moment as this service. */
async function identified(litestream: Litestream, maxMs: number): Promise<void> {
  const deadline = performance.now() + maxMs;
  for (;;) {
    try {
      await litestream.identify();
      return;
    } catch (error) {
      if (performance.now() > deadline) {
        throw new Error(
          `REPLICATION is sync, and ${messageOf(error)} (waited ${maxMs / 1_000} s)`,
          { cause: error },
        );
      }
      await delay(ASK_AGAIN_MS);
    }
  }
}

/** Whether the process runs, as far as this user may know. */
function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

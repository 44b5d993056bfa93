// A replica at a stand-in for Litestream, with a clock of the test's own.

import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { Litestream } from '../../../src/storage/replication/litestream.js';
import { Replica } from '../../../src/storage/replication/replica.js';
import type {
  ReplicaReport,
  ReplicationMode,
} from '../../../src/storage/replication/replica-report.js';
import { type LitestreamStub, openLitestreamStub } from '../../support/litestream-stub.js';
import { openTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.js';

export const DATABASE = '/data/service.db';
/** More turns than a question and its answer take. */
const TURNS = 50;
/** After so many turns, what is waited for does not come. */
const TURNS_MAX = 5_000;
const STEP_MS = 250;

/** One for each test of the file that calls this. */
export function watchedReplica(): WatchedReplica {
  const watched = new WatchedReplica();
  beforeEach(() => watched.begin());
  afterEach(() => watched.end());
  return watched;
}

class WatchedReplica {
  #folder!: TemporaryFolder;
  socketPath = '';
  stub!: LitestreamStub;
  replica!: Replica;
  reports: ReplicaReport[] = [];
  touches = 0;
  /** Process ids of which a long absence was told. */
  absences: (number | undefined)[] = [];
  /** Ends `hold`. */
  letGo: () => void = () => {};

  async begin(): Promise<void> {
    this.#folder = await openTemporaryFolder();
    this.socketPath = join(this.#folder.path, 'socket');
    this.stub = await openLitestreamStub(this.socketPath, DATABASE);
    this.reports = [];
    this.touches = 0;
    this.absences = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], now: 5_000 });
  }

  async end(): Promise<void> {
    this.letGo();
    const closing = this.replica.close();
    await vi.advanceTimersByTimeAsync(10_000);
    await this.settled(closing);
    vi.useRealTimers();
    await this.stub.close();
    await this.#folder.remove();
  }

  make(mode: ReplicationMode): void {
    this.replica = new Replica({
      mode,
      litestream: new Litestream({ socketPath: this.socketPath, databasePath: DATABASE }),
      report: (report) => void this.reports.push(report),
      touch: async () => {
        this.touches++;
      },
      betweenCommits: async (begin) => begin(),
      onLongAbsence: (pid) => void this.absences.push(pid),
    });
  }

  async reach(mode: ReplicationMode): Promise<void> {
    this.make(mode);
    this.replica.start();
    await this.until(() => this.reports.at(-1)?.isReached === true);
  }

  /** Fails where it does not come true without more time. */
  async until(isSo: () => boolean): Promise<void> {
    for (let turns = 0; !isSo(); turns++) {
      expect(turns).toBeLessThan(TURNS_MAX);
      await turn();
    }
  }

  /** Lets time pass in steps, each with everything that Litestream answers in it. */
  async pass(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= STEP_MS) {
      await vi.advanceTimersByTimeAsync(Math.min(left, STEP_MS));
      await this.turns();
    }
  }

  /** Everything that happens without more time. */
  async turns(): Promise<void> {
    for (let turns = 0; turns < TURNS; turns++) await turn();
  }

  /** Litestream answers no sync until `letGo`. */
  hold(): void {
    this.stub.says.held = new Promise((resolve) => {
      this.letGo = resolve;
    });
  }

  /** Fails where the promise does not settle without more time. */
  async settled<T>(promise: Promise<T>): Promise<T> {
    const isWaiting = waiting(promise);
    await this.until(() => !isWaiting());
    return promise;
  }
}

/** Whether the promise is still pending. */
export function waiting(promise: Promise<unknown>): () => boolean {
  let isWaiting = true;
  const end = () => {
    isWaiting = false;
  };
  promise.then(end, end);
  return () => isWaiting;
}

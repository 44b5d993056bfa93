// The main module of the storage thread. It answers the storage's calls on the one open file, one
// at a time and in order.

import { parentPort, workerData } from 'node:worker_threads';
import { Litestream } from '../replication/litestream.js';
import { Replica, type ReplicaReport } from '../replication/replica.js';
import { lockService } from '../replication/service-lock.js';
import { messageOf } from './connection-errors.js';
import { type FileOptions, LibsqlFile } from './database-file.js';
import type { StoredPage } from './stored-pages.js';

/** The thread's start data. */
export interface ThreadOptions extends Omit<FileOptions, 'holding'> {
  /** Path of Litestream's control socket; undefined: no replica. */
  readonly socketPath: string | undefined;
  /** Set to 1 once the file is released. */
  readonly released: Int32Array;
}

/** The calls that the storage may make; `open` first, `close` last. */
export type ThreadCalls = Omit<LibsqlFile, 'isNew' | 'logBytes' | 'emptyLog'> & {
  /** Returns whether the database is a new one. */
  open(): boolean;
};

export interface ThreadRequest {
  readonly call: number;
  readonly name: keyof ThreadCalls;
  readonly args: readonly unknown[];
}

export type ThreadReply =
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly error: string };

/** A message of the thread that answers no call. */
export interface ThreadNews {
  readonly replica: ReplicaReport;
}

/** While Litestream does not run, the log is written back when it is larger than this. */
const LOG_MAX_BYTES = 268_435_456;

let file: LibsqlFile | undefined;
let replica: Replica | undefined;
/** Another service may have the file. */
let release = () => {};

function open(): boolean {
  const { socketPath, released: _, ...options }: ThreadOptions = workerData;
  if (socketPath !== undefined) release = lockService(options.path);
  file = new LibsqlFile({ ...options, holding: socketPath === undefined ? 'alone' : 'shared' });
  if (socketPath !== undefined) {
    const report = (news: ReplicaReport) =>
      parentPort?.postMessage({ replica: news } satisfies ThreadNews);
    replica = replicaOf(file, { socketPath, databasePath: options.path, report });
  }
  return file.isNew;
}

interface ReplicatedFileOptions {
  readonly socketPath: string;
  readonly databasePath: string;
  readonly report: (report: ReplicaReport) => void;
}

/** Commits and Litestream's syncs take turns. */
export function replicaOf(
  replicated: LibsqlFile,
  { report, ...paths }: ReplicatedFileOptions,
): Replica {
  return new Replica({
    litestream: new Litestream(paths),
    report,
    inTurn,
    touch: async () => replicated.touch(),
    // The replica's next sync sends the whole database, because Litestream sees that the log was emptied without it.
    onLongAbsence(pid) {
      if (isAlive(pid)) return;
      void inTurn(async () => replicated.logBytes > LOG_MAX_BYTES && replicated.emptyLog());
    },
  });
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch (error) {
    // It is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function close(): void {
  file?.close();
  release();
  [file, replica] = [undefined, undefined];
  const { released }: ThreadOptions = workerData;
  Atomics.store(released, 0, 1);
  Atomics.notify(released, 0);
}

function resultOf(name: keyof ThreadCalls, args: readonly unknown[]): unknown {
  if (name === 'open') return open();
  if (name === 'close') return close();
  if (file === undefined) throw new Error('the database file is not open');
  const value = (file[name] as (...args: readonly unknown[]) => unknown).call(file, ...args);
  if (name === 'commit' || name === 'touch') replica?.committed();
  return value;
}

function answer({ call, name, args }: ThreadRequest): void {
  try {
    const value = resultOf(name, args);
    // A page's bodies are moved: copying them would cost as much as reading them.
    const page = name === 'storedPage' ? (value as StoredPage | undefined) : undefined;
    parentPort?.postMessage({ call, value } satisfies ThreadReply, page ? [page.bodies] : []);
  } catch (error) {
    parentPort?.postMessage({ call, error: messageOf(error) } satisfies ThreadReply);
  }
}

let last: Promise<unknown> = Promise.resolve();

/** One use of the file at a time, in order. */
function inTurn<T>(use: () => Promise<T>): Promise<T> {
  const done = last.then(use);
  last = done.catch(() => {});
  return done;
}

parentPort?.on('message', async (request: ThreadRequest) => {
  if (request.name === 'close') {
    // The calls before this one, so that the last sync has what they commit.
    await last;
    await replica?.close();
  }
  await inTurn(async () => answer(request));
  // The thread ends itself after this message: `terminate()` during a native call would abort the process.
  if (request.name === 'close') parentPort?.close();
});

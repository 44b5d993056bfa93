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
export interface ThreadOptions extends Omit<FileOptions, 'isReplicated'> {
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
  readonly name: keyof ThreadCalls;
  readonly args: readonly unknown[];
}

/** The answer to the oldest call that has none, or news of the replica. */
export type ThreadMessage =
  | { readonly value: unknown }
  | { readonly error: string }
  | { readonly replica: ReplicaReport };

/** While Litestream does not run, the log is written back when it is larger than this. */
const LOG_MAX_BYTES = 268_435_456;

let file: LibsqlFile | undefined;
let replica: Replica | undefined;
/** Another service may have the file. */
let release = () => {};

const post = (message: ThreadMessage, moved: ArrayBuffer[] = []) =>
  parentPort?.postMessage(message, moved);

function open(): boolean {
  const { socketPath, released: _, ...options }: ThreadOptions = workerData;
  const isReplicated = socketPath !== undefined;
  if (isReplicated) release = lockService(options.path);
  file = new LibsqlFile({ ...options, isReplicated });
  if (isReplicated) {
    const litestream = new Litestream({ socketPath, databasePath: options.path });
    replica = replicaOf(file, litestream, (report) => post({ replica: report }));
  }
  return file.isNew;
}

/** Commits and Litestream's syncs take turns. */
export function replicaOf(
  replicated: LibsqlFile,
  litestream: Litestream,
  report: (report: ReplicaReport) => void,
): Replica {
  return new Replica({
    litestream,
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

/** Also when the thread ends by itself: the library would remove the log that the mark asks for. */
function close(): void {
  file?.close();
  release();
  [file, replica] = [undefined, undefined];
  const { released }: ThreadOptions = workerData;
  Atomics.store(released, 0, 1);
  Atomics.notify(released, 0);
}

function answer({ name, args }: ThreadRequest): void {
  try {
    const value = resultOf(name, args);
    // A page's bodies are moved: copying them would cost as much as reading them.
    const page = name === 'storedPage' ? (value as StoredPage | undefined) : undefined;
    post({ value }, page && [page.bodies]);
  } catch (error) {
    post({ error: messageOf(error) });
  }
}

function resultOf(name: keyof ThreadCalls, args: readonly unknown[]): unknown {
  if (name === 'open') return open();
  if (name === 'close') return close();
  if (file === undefined) throw new Error('the database file is not open');
  const value = (file[name] as (...args: readonly unknown[]) => unknown).call(file, ...args);
  if (name === 'commit' || name === 'touch') replica?.committed();
  return value;
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
if (parentPort) process.once('exit', close);

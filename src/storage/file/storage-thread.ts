// The main module of the storage thread. It answers the storage's calls on the one open file, one
// at a time and in order.

import { parentPort, workerData } from 'node:worker_threads';
import type { ReplicaReport } from '../replication/replica.js';
import { messageOf } from './connection-errors.js';
import { type FileOptions, LibsqlFile } from './database-file.js';
import { openReplicatedFile } from './replicated-file.js';
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

let file: LibsqlFile | undefined;
let replicated: ReturnType<typeof openReplicatedFile> | undefined;

function open(): boolean {
  const { socketPath, released: _, ...options }: ThreadOptions = workerData;
  if (socketPath === undefined) {
    file = new LibsqlFile({ ...options, holding: 'alone' });
  } else {
    const report = (replica: ReplicaReport) =>
      parentPort?.postMessage({ replica } satisfies ThreadNews);
    replicated = openReplicatedFile({ ...options, socketPath, report, inTurn });
    file = replicated.file;
  }
  return file.isNew;
}

function close(): void {
  file?.close();
  replicated?.release();
  [file, replicated] = [undefined, undefined];
  const { released }: ThreadOptions = workerData;
  Atomics.store(released, 0, 1);
  Atomics.notify(released, 0);
}

function resultOf(name: keyof ThreadCalls, args: readonly unknown[]): unknown {
  if (name === 'open') return open();
  if (name === 'close') return close();
  if (file === undefined) throw new Error('the database file is not open');
  const value = (file[name] as (...args: readonly unknown[]) => unknown).call(file, ...args);
  if (name === 'commit' || name === 'touch') replicated?.replica.committed();
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
    await replicated?.replica.close();
  }
  await inTurn(async () => answer(request));
  // The thread ends itself after this message: `terminate()` during a native call would abort the process.
  if (request.name === 'close') parentPort?.close();
});

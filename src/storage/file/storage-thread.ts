// The main module of the storage thread. It answers calls on the one open file, one at a time and in
// order.

import { parentPort, workerData } from 'node:worker_threads';
import { Litestream, type ReplicaReport } from '../replication/litestream.js';
import { Replica } from '../replication/replica.js';
import { messageOf } from './connection-errors.js';
import { type FileOptions, LibsqlFile } from './database-file.js';
import { EXCLUSIVE, WITH_LITESTREAM } from './file-sharing.js';
import type { StoredPage } from './stored-pages.js';

export interface ThreadOptions extends FileOptions {
  /** Path of Litestream's control socket; undefined: no replica. */
  readonly socketPath: string | undefined;
}

/** The calls that the storage may make; `open` first, `close` last. */
export type ThreadCalls = Omit<LibsqlFile, 'isNew' | 'wasKilled'> & {
  open(): Opened;
};

export interface Opened {
  readonly isNew: boolean;
  readonly wasKilled: boolean;
}

export interface ThreadRequest {
  readonly name: keyof ThreadCalls;
  readonly args: readonly unknown[];
}

/** The answer to the oldest call that has none, or news of the replica. */
export type ThreadMessage =
  | { readonly value: unknown }
  | { readonly error: string }
  | { readonly replica: ReplicaReport };

let file: LibsqlFile | undefined;
let replica: Replica | undefined;
let lock: { close(): void } | undefined;

const post = (message: ThreadMessage, moved: ArrayBuffer[] = []) =>
  parentPort?.postMessage(message, moved);

function open(): Opened {
  const { socketPath, ...options }: ThreadOptions = workerData;
  const sharing = socketPath === undefined ? EXCLUSIVE : WITH_LITESTREAM;
  lock = sharing.lock(options.path);
  file = new LibsqlFile(options, sharing);
  if (socketPath !== undefined) {
    const litestream = new Litestream(socketPath, options.path);
    const report = (news: ReplicaReport) => post({ replica: news });
    replica = new Replica({ litestream, file, report, inTurn });
  }
  return { isNew: file.isNew, wasKilled: file.wasKilled };
}

function close(): void {
  file?.close();
  lock?.close();
  [file, replica] = [undefined, undefined];
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
    // Calls before this one come first, so that the last sync has what they commit.
    await last;
    await replica?.close();
  }
  await inTurn(async () => answer(request));
  // The thread ends itself after this message: `terminate()` during a native call would abort the process.
  if (request.name === 'close') parentPort?.close();
});

// The main module of the storage thread. It answers the storage's calls on the one
// open file, one at a time and in order.

import { parentPort, workerData } from 'node:worker_threads';
import type { ReplicaReport } from '../replication/replica.js';
import { messageOf } from './connection-errors.js';
import { LibsqlFile } from './database-file.js';
import type { CommitTexts } from './file-commits.js';
import { openReplicatedFile, type ReplicatedFile } from './replicated-file.js';

/** The calls after which the file may be another one. */
const WRITING: ReadonlySet<keyof ThreadCalls> = new Set(['commit', 'touch', 'freeze', 'thaw']);

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

/** The thread's start data. */
export interface ThreadOptions {
  readonly path: string;
  readonly initialRows: string;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
  /** Path of Litestream's control socket; undefined: no replica. */
  readonly litestreamSocket: string | undefined;
}

/** What the calling side adds. */
interface ThreadData extends ThreadOptions {
  /** Set to 1 once the file is released. */
  readonly released: Int32Array;
}

let file: LibsqlFile | undefined;
let replicated: ReplicatedFile | undefined;

function opened(): LibsqlFile {
  if (file === undefined) throw new Error('the database file is not open');
  return file;
}

/** The calls that the storage may make. */
export type ThreadCalls = typeof calls;

const calls = {
  /** Resolves with whether the database is a new one. */
  async open() {
    const { path, initialRows, now, litestreamSocket }: ThreadData = workerData;
    if (litestreamSocket === undefined) {
      file = await LibsqlFile.open(path, initialRows, now, 'alone');
      return file.isNew;
    }
    replicated = await openReplicatedFile({
      socketPath: litestreamSocket,
      databasePath: path,
      open: () => LibsqlFile.open(path, initialRows, now, 'shared'),
      report: (replica) => parentPort?.postMessage({ replica } satisfies ThreadNews),
      inTurn,
    });
    file = replicated.file;
    return file.isNew;
  },
  async commit(texts: CommitTexts) {
    const result = await opened().commits.commit(texts);
    if (result.status !== 'notStored') replicated?.replica.committed();
    return result;
  },
  storedPage: async (position: number) => opened().storedPage(position),
  sequences: async () => opened().sequences(),
  beginUsage: async (createdAfter: string) => opened().usage.begin(createdAfter),
  nextUsage: async () => opened().usage.next(),
  auditEvents: async (limit: number, offset: number) => opened().auditEvents(limit, offset),
  oldestRecordAt: async (owner: string) => opened().usage.oldestRecordAt(owner),
  ping: async () => opened().ping(),
  async touch() {
    await opened().commits.touch();
    replicated?.replica.committed();
  },
  save: async (path: string) => opened().save(path),
  freeze: async () => opened().freeze(),
  thaw: async () => opened().thaw(),
  /** False once another program wrote the file. */
  isIntact: async () => opened().isIntact(),
  async close() {
    file?.close();
    replicated?.release();
    [file, replicated] = [undefined, undefined];
    const { released }: ThreadData = workerData;
    Atomics.store(released, 0, 1);
    Atomics.notify(released, 0);
  },
};

async function answer({ call, name, args }: ThreadRequest): Promise<ThreadReply> {
  try {
    const run = calls[name] as (...args: readonly unknown[]) => Promise<unknown>;
    const value = WRITING.has(name) ? opened().writing(() => run(...args)) : run(...args);
    return { call, value: await value };
  } catch (error) {
    return { call, error: messageOf(error) };
  }
}

let last: Promise<unknown> = Promise.resolve();

/** One use of the file at a time, in order. */
function inTurn<T>(use: () => Promise<T>): Promise<T> {
  const done = last.then(use);
  last = done.catch(() => {});
  return done;
}

/** A page's bodies are moved: copying them would cost as much as reading them. */
function movedWith(reply: ThreadReply): ArrayBuffer[] {
  const value = 'value' in reply ? reply.value : undefined;
  const isPage = typeof value === 'object' && value !== null && 'bodies' in value;
  return isPage && value.bodies instanceof ArrayBuffer ? [value.bodies] : [];
}

async function serve(request: ThreadRequest): Promise<void> {
  if (request.name === 'close') {
    // The calls before this one, so that the last sync has what they commit.
    await last;
    await replicated?.replica.close();
  }
  const reply = await inTurn(() => answer(request));
  parentPort?.postMessage(reply, movedWith(reply));
  // The thread ends itself after this message: `terminate()` during a native call would abort the process.
  if (request.name === 'close') parentPort?.close();
}

parentPort?.on('message', (request: ThreadRequest) => void serve(request));

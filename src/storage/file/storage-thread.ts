// The main module of the storage thread. It answers the journal's calls on the one
// open file, one at a time and in order.

import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from './client-errors.js';
import { type CommitTexts, LibsqlFile } from './database-file.js';
import type { Freezer } from './freezer.js';
import type { UsageScan } from './usage-scan.js';

/** The calls that the journal may make. */
export interface ThreadCalls {
  open(): Promise<void>;
  commit(texts: CommitTexts): ReturnType<LibsqlFile['commit']>;
  loadPage(position: number): ReturnType<LibsqlFile['loadPage']>;
  sequences(): Promise<string>;
  beginUsage(createdAfter: string): Promise<void>;
  nextUsage(): ReturnType<UsageScan['next']>;
  auditEvents(limit: number, offset: number): ReturnType<LibsqlFile['auditEvents']>;
  ping(): Promise<void>;
  touch(): Promise<void>;
  freeze(): ReturnType<Freezer['freeze']>;
  thaw(): ReturnType<Freezer['thaw']>;
  close(): Promise<void>;
}

export interface ThreadRequest {
  readonly call: number;
  readonly name: keyof ThreadCalls;
  readonly args: readonly unknown[];
}

export type ThreadReply =
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly error: string };

/** The thread's start data. */
export interface ThreadOptions {
  readonly url: string;
  readonly initialRows: string;
  /** Milliseconds since 1970, UTC. */
  readonly now: number;
}

let file: LibsqlFile | undefined;

function opened(): LibsqlFile {
  if (file === undefined) throw new Error('the database file is not open');
  return file;
}

const calls: ThreadCalls = {
  async open() {
    const { url, initialRows, now }: ThreadOptions = workerData;
    file = await LibsqlFile.open(url, initialRows, now);
  },
  commit: async (texts) => opened().commit(texts),
  loadPage: async (position) => opened().loadPage(position),
  sequences: async () => opened().sequences(),
  beginUsage: async (createdAfter) => opened().usage.begin(createdAfter),
  nextUsage: async () => opened().usage.next(),
  auditEvents: async (limit, offset) => opened().auditEvents(limit, offset),
  ping: async () => opened().ping(),
  touch: async () => opened().touch(),
  freeze: async () => opened().freezer.freeze(),
  thaw: async () => opened().freezer.thaw(),
  async close() {
    file?.close();
    file = undefined;
  },
};

async function answer({ call, name, args }: ThreadRequest): Promise<ThreadReply> {
  try {
    const run = calls[name] as (...args: readonly unknown[]) => Promise<unknown>;
    return { call, value: await run(...args) };
  } catch (error) {
    return { call, error: messageOf(error) };
  }
}

let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (request: ThreadRequest) => {
  last = last.then(async () => {
    const reply = await answer(request);
    parentPort?.postMessage(reply);
    // The thread ends itself after this message: `terminate()` during a native call would abort the process.
    if (request.name === 'close') parentPort?.close();
  });
});

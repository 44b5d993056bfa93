// The calling side of the storage thread.

import { Worker } from 'node:worker_threads';
import type { ReplicaReport } from '../replication/litestream.js';
import type { ThreadCalls, ThreadMessage, ThreadOptions, ThreadRequest } from './storage-thread.js';

/** How long `process.exit` waits for the thread to release the file. */
const RELEASE_MAX_MS = 1_000;

/** Those that are running. */
const threads = new Set<LibsqlThread>();

/**
 * `process.exit` makes the library close its connection without the thread: SQLite then removes the
 * log, and the mark beside the file still says that it must be there. So the thread closes the file
 * first. If a thread hangs, this process is killed, which leaves the log as it is.
 */
process.on('exit', () => {
  for (const thread of threads) {
    if (!thread.releaseNow()) process.kill(process.pid, 'SIGKILL');
  }
});

export class LibsqlThread {
  readonly #worker: Worker;
  /** Oldest first: the thread answers in order. */
  readonly #waiting: { resolve(value: unknown): void; reject(error: Error): void }[] = [];
  /** Why calls are refused. */
  #gone: Error | undefined;
  readonly #ended: Promise<void>;
  /** 1 once the thread has released the file. */
  readonly #released = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  constructor(
    options: Omit<ThreadOptions, 'released'>,
    onReport: ((report: ReplicaReport) => void) | undefined,
  ) {
    this.#worker = new Worker(new URL('./storage-thread.js', import.meta.url), {
      workerData: { ...options, released: this.#released } satisfies ThreadOptions,
      name: 'storage',
    });
    threads.add(this);
    this.#worker.on('message', (message: ThreadMessage) => {
      if ('replica' in message) return onReport?.(message.replica);
      const waiting = this.#waiting.shift();
      if ('error' in message) waiting?.reject(new Error(message.error));
      else waiting?.resolve(message.value);
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        threads.delete(this);
        this.#fail(new Error('the storage thread has ended'));
        resolve();
      });
    });
  }

  async call<Name extends keyof ThreadCalls>(
    name: Name,
    ...args: Parameters<ThreadCalls[Name]>
  ): Promise<ReturnType<ThreadCalls[Name]>> {
    if (this.#gone !== undefined) throw this.#gone;
    const reply = new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
    this.#worker.postMessage({ name, args } satisfies ThreadRequest);
    return (await reply) as ReturnType<ThreadCalls[Name]>;
  }

  /** Resolves when the file is released and the thread has ended. */
  async close(): Promise<void> {
    const closed = this.call('close');
    this.#gone ??= new Error('the storage is closed');
    await closed;
    await this.#ended;
  }

  /** Synchronously. False if the thread did not answer in time. */
  releaseNow(): boolean {
    this.#worker.postMessage({ name: 'close', args: [] } satisfies ThreadRequest);
    return Atomics.wait(this.#released, 0, 0, RELEASE_MAX_MS) !== 'timed-out';
  }

  #fail(error: Error): void {
    this.#gone ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#gone);
  }
}

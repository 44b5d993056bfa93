// The calling side of the storage thread.

import { Worker } from 'node:worker_threads';
import type { ReplicaReport } from '../replication/litestream.js';
import type { ThreadCalls, ThreadMessage, ThreadOptions, ThreadRequest } from './storage-thread.js';

export class LibsqlThread {
  readonly #worker: Worker;
  /** Oldest first: the thread answers in order. */
  readonly #waiting: { resolve(value: unknown): void; reject(error: Error): void }[] = [];
  /** Why calls are refused. */
  #gone: Error | undefined;
  readonly #ended: Promise<void>;

  constructor(options: ThreadOptions, onReport: ((report: ReplicaReport) => void) | undefined) {
    this.#worker = new Worker(new URL('./storage-thread.js', import.meta.url), {
      workerData: options,
      name: 'storage',
    });
    this.#worker.on('message', (message: ThreadMessage) => {
      if ('replica' in message) return onReport?.(message.replica);
      const waiting = this.#waiting.shift();
      if ('error' in message) waiting?.reject(new Error(message.error));
      else waiting?.resolve(message.value);
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
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

  #fail(error: Error): void {
    this.#gone ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#gone);
  }
}

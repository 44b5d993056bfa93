// The calling side of the storage thread.

import { Worker } from 'node:worker_threads';
import type { ThreadCalls, ThreadNews, ThreadOptions, ThreadReply } from './storage-thread.js';

/** How long `process.exit` waits for the thread to release the file. */
const RELEASE_MAX_MS = 1_000;

/** Those that have not ended. */
const threads = new Set<LibsqlThread>();

/**
 * `process.exit` makes the library close its connection without the thread: SQLite then removes the
 * log, and the mark beside the file still says that it must be there. So the thread closes the file
 * first. A thread that hangs gets a kill, which leaves the log as it is.
 */
process.on('exit', () => {
  for (const thread of threads) {
    if (!thread.releaseNow()) process.kill(process.pid, 'SIGKILL');
  }
});

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class LibsqlThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #isClosing = false;
  #gone: Error | undefined;
  readonly #ended: Promise<void>;
  /** 1 once the thread has released the file. */
  readonly #released = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  /** `onDeath` is called when the thread has ended without being asked to. */
  constructor(
    options: Omit<ThreadOptions, 'released'>,
    { onNews, onDeath }: { onNews: (news: ThreadNews) => void; onDeath: () => void },
  ) {
    this.#worker = new Worker(new URL('./storage-thread.js', import.meta.url), {
      workerData: { ...options, released: this.#released } satisfies ThreadOptions,
      name: 'storage',
    });
    threads.add(this);
    this.#worker.on('message', (message: ThreadReply | ThreadNews) => {
      if ('call' in message) this.#settle(message);
      else onNews(message);
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        threads.delete(this);
        if (!this.#isClosing) onDeath();
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
    const call = ++this.#calls;
    const reply = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
    });
    this.#worker.postMessage({ call, name, args });
    return (await reply) as ReturnType<ThreadCalls[Name]>;
  }

  /** Resolves when the file is released and the thread has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.call('close');
    await this.#ended;
  }

  /** Without a turn of the event loop. False if the thread did not answer in time. */
  releaseNow(): boolean {
    this.#worker.postMessage({ call: 0, name: 'close', args: [] });
    return Atomics.wait(this.#released, 0, 0, RELEASE_MAX_MS) !== 'timed-out';
  }

  #settle(reply: ThreadReply): void {
    const waiting = this.#waiting.get(reply.call);
    this.#waiting.delete(reply.call);
    if ('error' in reply) waiting?.reject(new Error(reply.error));
    else waiting?.resolve(reply.value);
  }

  #fail(error: Error): void {
    this.#gone ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }
}

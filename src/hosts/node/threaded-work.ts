// The JSON work of writes on Node: small work in place, large work in a thread
// with a heap of its own. If the thread runs out of memory, one request is refused.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FairQueue } from '../../core/admission/fair-queue.js';
import { failed, type Outcome } from '../../core/domain/errors.js';
import type { ChangedRecord } from '../../core/domain/record.js';
import { type RecordWork, workInPlace } from '../../core/records/record-work.js';
import type { WorkCall } from './record-thread.js';

/** Texts up to this length (all together) take at most about three milliseconds in place, and more in the thread. */
const IN_PLACE_MAX_CHARACTERS = 32_768;
/** The largest record and body that a client can send use about a third of it. */
const HEAP_MAX_MEGABYTES = 256;

const TOO_MUCH = 'processing the record takes too much memory; send fewer or larger parts';

interface Job {
  readonly call: WorkCall;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class ThreadedWork implements RecordWork {
  readonly #closed = new AbortController();
  #worker: Worker | undefined;
  #isWorking = false;
  /** A job whose client is gone is done all the same: other readers may wait for its result. */
  readonly #waiting = new FairQueue<Job>();

  newRecord(...args: Parameters<RecordWork['newRecord']>) {
    if (args[1].length <= IN_PLACE_MAX_CHARACTERS) return workInPlace.newRecord(...args);
    return this.#run<Outcome<ChangedRecord>>('newRecord', args);
  }

  patchedRecord(...args: Parameters<RecordWork['patchedRecord']>) {
    const characters = args[1].length + args[2].length;
    if (characters <= IN_PLACE_MAX_CHARACTERS) return workInPlace.patchedRecord(...args);
    return this.#run<Outcome<ChangedRecord>>('patchedRecord', args);
  }

  paymentRow(...args: Parameters<RecordWork['paymentRow']>) {
    if (args[0].length <= IN_PLACE_MAX_CHARACTERS) return workInPlace.paymentRow(...args);
    return this.#run<string>('paymentRow', args);
  }

  /** The job under way and the waiting ones. */
  get jobs(): number {
    return this.#waiting.size + Number(this.#isWorking);
  }

  /** Ends the thread and rejects all work that is not done. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#worker?.terminate();
  }

  #run<Result>(name: keyof RecordWork, args: readonly string[]): Promise<Result> {
    return new Promise((resolve, reject) => {
      const job = { call: { name, args }, resolve: resolve as Job['resolve'], reject };
      this.#waiting.add(args.at(-1) ?? '', job);
      if (!this.#isWorking) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let job = this.#waiting.take(); job !== undefined; job = this.#waiting.take()) {
      const { call, resolve, reject } = job;
      await this.#ask(call).then(resolve, (error: Error & { code?: string }) => {
        const isTooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY' && call.name !== 'paymentRow';
        if (isTooMuch) resolve(failed('VALIDATION_FAILED', TOO_MUCH));
        else reject(error);
      });
    }
    this.#isWorking = false;
  }

  /** Rejects if the thread ends, or the system gives none. */
  async #ask(call: WorkCall): Promise<unknown> {
    const { signal } = this.#closed;
    signal.throwIfAborted();
    this.#worker ??= this.#start();
    this.#worker.postMessage(call);
    const [result] = await once(this.#worker, 'message', { signal });
    return result;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./record-thread.js', import.meta.url), {
      name: 'records',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MEGABYTES },
    });
    // The next call starts another one.
    worker.once('error', () => {
      this.#worker = undefined;
    });
    // The thread must not keep an otherwise idle process running.
    worker.unref();
    return worker;
  }
}

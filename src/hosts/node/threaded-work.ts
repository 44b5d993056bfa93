// The JSON work of writes on Node: small work in place, large work in a thread
// with a heap of its own. If the thread runs out of memory, one request is refused.

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

interface Job {
  readonly call: WorkCall;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class ThreadedWork implements RecordWork {
  readonly #heapMaxMegabytes: number;
  #worker: Worker | undefined;
  #underWay: Job | undefined;
  #isClosed = false;
  /** A job whose client has gone is done all the same: other readers may wait for its result. */
  readonly #waiting = new FairQueue<Job>();

  constructor(heapMaxMegabytes = HEAP_MAX_MEGABYTES) {
    this.#heapMaxMegabytes = heapMaxMegabytes;
  }

  newRecord(...args: Parameters<RecordWork['newRecord']>) {
    const [, body, account] = args;
    if (body.length <= IN_PLACE_MAX_CHARACTERS) return workInPlace.newRecord(...args);
    return this.#run<Outcome<ChangedRecord>>(account, { name: 'newRecord', args });
  }

  patchedRecord(...args: Parameters<RecordWork['patchedRecord']>) {
    const [, stored, body, account] = args;
    const isSmall = stored.length + body.length <= IN_PLACE_MAX_CHARACTERS;
    if (isSmall) return workInPlace.patchedRecord(...args);
    return this.#run<Outcome<ChangedRecord>>(account, { name: 'patchedRecord', args });
  }

  paymentRow(...args: Parameters<RecordWork['paymentRow']>) {
    const [order, account] = args;
    if (order.length <= IN_PLACE_MAX_CHARACTERS) return workInPlace.paymentRow(...args);
    return this.#run<string>(account, { name: 'paymentRow', args });
  }

  /** The number of jobs of the thread: the one under way and the waiting ones. */
  get jobs(): number {
    return this.#waiting.size + Number(this.#underWay !== undefined);
  }

  /** Ends the thread and rejects all work that is not done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #run<Result>(account: string, call: WorkCall): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(account, { call, resolve: resolve as Job['resolve'], reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#underWay !== undefined) return;
    const job = this.#waiting.take();
    if (job === undefined) return;
    this.#underWay = job;
    try {
      if (this.#isClosed) throw new Error('the thread of the records is closed');
      this.#worker ??= this.#start();
      this.#worker.postMessage(job.call);
    } catch (error) {
      // The system gives no further thread, or this object is closed. This job fails; the next one is tried.
      this.#settle(() => job.reject(error));
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL('./record-thread.js', import.meta.url), {
      name: 'records',
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMaxMegabytes },
    });
    let cause = new Error('the thread of the records has ended');
    worker.on('message', (result) => this.#settle((job) => job.resolve(result)));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#settle((job) => fail(job, cause));
    });
    // The thread must not keep an otherwise idle process running.
    worker.unref();
    return worker;
  }

  #settle(settle: (job: Job) => void): void {
    const job = this.#underWay;
    this.#underWay = undefined;
    if (job !== undefined) settle(job);
    this.#next();
  }
}

function fail({ call, resolve, reject }: Job, cause: Error & { code?: string }): void {
  if (cause.code !== 'ERR_WORKER_OUT_OF_MEMORY' || call.name === 'paymentRow') reject(cause);
  else {
    const message = 'processing the record takes too much memory; send fewer or larger parts';
    resolve(failed('VALIDATION_FAILED', message));
  }
}

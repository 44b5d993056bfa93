// The thread for the JSON work of large records (threaded-work.ts), so that no other
// request waits for this work.

import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type RecordWork, workInPlace } from '../../core/records/record-work.js';

/** One call of the work; the reply is its result. */
export interface WorkCall {
  readonly name: keyof RecordWork;
  readonly args: readonly string[];
}

// Requests come first. Only Linux has a priority for each thread; elsewhere this would slow the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', async ({ name, args }: WorkCall) => {
  const run = workInPlace[name] as (...args: readonly string[]) => unknown;
  parentPort?.postMessage(await run(...args));
});

// The thread that does the JSON work of large records (threaded-work.ts), so
// that nobody else's request waits for it.

import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type RecordWork, workInPlace } from '../handler.js';

/** One call of the work at a time; the reply is its result. */
export interface WorkCall {
  readonly name: keyof RecordWork;
  readonly args: readonly string[];
}

// Requests come first. On Linux a thread has a priority of its own; elsewhere this would be the process's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', async ({ name, args }: WorkCall) => {
  const run = workInPlace[name] as (...args: readonly string[]) => unknown;
  parentPort?.postMessage(await run(...args));
});

// Tells how much memory a server holds, from inside. Node's `--import` loads it before
// the server; it answers over the channel to the parent process. The product itself has
// no such access. Plain JavaScript, since `node` starts it.

import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

// The storage thread gets the same options, but no probe.
if (isMainThread && process.send !== undefined) {
  process.on('message', async () => process.send?.(await heapBytes()));
  // The channel does not keep the server running, and the server ends with its trial.
  process.channel?.unref();
  process.on('disconnect', () => process.exit(1));
}

/** Heap and buffers after a garbage collection. */
async function heapBytes() {
  // Buffers are freed one turn after the objects that hold them.
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await delay(10);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

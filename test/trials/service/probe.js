// Measures the event loop and the memory of a server from inside. Node's `--import` loads
// it before the server; it answers over the channel to the parent process. The product
// itself has no such access. Plain JavaScript, since `node` starts it.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/**
 * @typedef {object} Probed
 * @property {number} p99Ms Delay of the event loop, 99th percentile, in milliseconds.
 * @property {number} maxMs The longest delay, in milliseconds.
 * @property {number} heapBytes Heap and buffers after a garbage collection.
 */

const RESOLUTION_MS = 1;
const NANOSECONDS_A_MS = 1e6;

// The storage thread gets the same options, but no probe.
if (isMainThread && process.send !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  process.on('message', async (/** @type {{ call: 'reset' | 'read' | 'heap' }} */ { call }) => {
    // The last delay is counted when the timer fires next.
    await delay(5 * RESOLUTION_MS);
    process.send?.(call === 'heap' ? await heap() : delays());
    if (call === 'reset') histogram.reset();
  });
  // The channel does not keep the server running, and the server ends with its trial.
  process.channel?.unref();
  process.on('disconnect', () => process.exit(1));

  function delays() {
    // The histogram includes the interval of its own timer.
    const late = (/** @type {number} */ ns) => Math.max(ns / NANOSECONDS_A_MS - RESOLUTION_MS, 0);
    return { p99Ms: late(histogram.percentile(99)), maxMs: late(histogram.max), heapBytes: 0 };
  }

  async function heap() {
    // Buffers are freed one turn after the objects that hold them.
    for (let i = 0; i < 3; i++) {
      globalThis.gc?.();
      await delay(10);
    }
    const { heapUsed, external } = process.memoryUsage();
    return { p99Ms: 0, maxMs: 0, heapBytes: heapUsed + external };
  }
}

// Loaded into the server under trial before anything else, over Node's `--import`:
// measures the event loop and the memory from inside and answers over the process's
// own channel. The product has no such door.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/**
 * @typedef {object} Probed
 * @property {number} p99Ms How late the event loop was, at the 99th percentile of its turns, in milliseconds.
 * @property {number} maxMs How late it was at most, in milliseconds.
 * @property {number} heapBytes What lives after a collection of garbage: the heap and the buffers outside of it.
 */

const RESOLUTION_MS = 1;
const NANOSECONDS_A_MS = 1e6;

// The storage thread is started with the same options.
if (isMainThread && process.send !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  process.on('message', async (/** @type {{ call: 'reset' | 'read' | 'heap' }} */ { call }) => {
    // What was measured last is counted when the timer next fires.
    await delay(5 * RESOLUTION_MS);
    process.send?.(call === 'heap' ? await heap() : delays());
    if (call === 'reset') histogram.reset();
  });
  // The channel keeps no server from ending, and no server outlives its trial.
  process.channel?.unref();
  process.on('disconnect', () => process.exit(1));

  function delays() {
    // The histogram counts from turn to turn, the timer's own interval included.
    const late = (/** @type {number} */ ns) => Math.max(ns / NANOSECONDS_A_MS - RESOLUTION_MS, 0);
    return { p99Ms: late(histogram.percentile(99)), maxMs: late(histogram.max), heapBytes: 0 };
  }

  async function heap() {
    // Buffers are let go of a turn after what held them.
    for (let i = 0; i < 3; i++) {
      globalThis.gc?.();
      await delay(10);
    }
    const { heapUsed, external } = process.memoryUsage();
    return { p99Ms: 0, maxMs: 0, heapBytes: heapUsed + external };
  }
}

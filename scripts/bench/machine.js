// Describes the machine and the conditions, without which figures mean nothing.

import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { median } from './statistics.js';
import { milliseconds } from './table.js';

/** @import { Bench } from './bench.js' */

const SYNCS = 100;

/** @returns {string[]} */
export function machineText(/** @type {Bench} */ { folder, rounds, seconds, connections }) {
  const processors = cpus();
  const load = loadavg().map((average) => average.toFixed(1));
  return [
    `${processors.length} × ${processors[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, load average ${load.join(', ')} before.`,
    `A sync of this disk takes ${milliseconds(syncTime(folder))} ms.`,
    `Load: wrk, ${connections} connections. Medians of ${rounds} rounds of ${seconds} s in turn.`,
  ];
}

function syncTime(/** @type {string} */ folder) {
  const file = openSync(join(folder, 'sync'), 'w');
  const times = Array.from({ length: SYNCS }, () => {
    writeSync(file, Buffer.alloc(4096, 1));
    const start = performance.now();
    fdatasyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  return median(times);
}

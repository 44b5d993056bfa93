// Measurements of this process and of the database's disk.

import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Histogram } from '../operations/exposition.js';
import type { HostMeasurements } from '../operations/status.js';

const DELAY_BOUNDS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const DELAY_SAMPLE_MS = 50;

/** Reported over Postgres, and if the disk hangs. */
export const NO_DISK = { bytes: null, log_bytes: null, disk_free_bytes: null, disk_bytes: null };

export async function processUsage(): Promise<HostMeasurements['process']> {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const { active, idle } = performance.eventLoopUtilization();
  return {
    cpu_seconds: (user + system) / 1e6,
    resident_bytes: rss,
    heap_bytes: heapUsed,
    active_seconds: active / 1000,
    idle_seconds: idle / 1000,
    // Null except on Linux, and null when descriptors have run out, because reading takes one.
    open_descriptors: (await readdir('/proc/self/fd').catch(() => [])).length || null,
    max_descriptors: Number(/^Max open files +(\d+)/m.exec(limits)?.[1]) || null,
  };
}

/** Uses paths, because opening and closing the database file would drop the lock on it. */
export async function diskUsage(databasePath: string): Promise<HostMeasurements['database']> {
  const sizeOf = (path: string) =>
    stat(path).then(
      ({ size }) => size,
      // After a clean stop the log is missing until the first write.
      ({ code }) => (code === 'ENOENT' ? 0 : null),
    );
  const disk = await statfs(dirname(databasePath)).catch(() => undefined);
  return {
    bytes: await sizeOf(databasePath),
    log_bytes: await sizeOf(`${databasePath}-wal`),
    disk_free_bytes: disk === undefined ? null : disk.bavail * disk.bsize,
    disk_bytes: disk === undefined ? null : disk.blocks * disk.bsize,
  };
}

/** How late a timer fires. Cumulative since startup, so that readers don't reset it for each other. */
export function eventLoopDelays(): Histogram {
  const histogram = new Histogram(DELAY_BOUNDS_SECONDS);
  let due = performance.now() + DELAY_SAMPLE_MS;
  setInterval(() => {
    const now = performance.now();
    histogram.observe(Math.max(0, now - due) / 1000);
    due = now + DELAY_SAMPLE_MS;
  }, DELAY_SAMPLE_MS).unref();
  return histogram;
}

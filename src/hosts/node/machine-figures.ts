// The system's figures about this process and the database's disk.

import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { DiskFigures, EventLoopFigures, ProcessFigures } from '../operations/figures.js';
import { Histogram } from '../operations/histogram.js';

const DELAY_BOUNDS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const DELAY_SAMPLE_MS = 50;
const STARTED_AT_SECONDS = performance.timeOrigin / 1000;

export async function processFigures(): Promise<ProcessFigures> {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    startedAtSeconds: STARTED_AT_SECONDS,
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    heapBytes: heapUsed,
    openDescriptors: await openDescriptors(),
    maxDescriptors: await maxDescriptors(),
  };
}

export function eventLoopFigures(): EventLoopFigures {
  const { active, idle } = performance.eventLoopUtilization();
  return { activeSeconds: active / 1000, idleSeconds: idle / 1000 };
}

/** Asks for sizes by name: opening and closing the database file would drop the lock on it. */
export async function diskFigures(databasePath: string): Promise<DiskFigures> {
  const [databaseBytes, logBytes, disk] = await Promise.all([
    sizeOf(databasePath),
    sizeOf(`${databasePath}-wal`),
    statfs(dirname(databasePath)).catch(() => undefined),
  ]);
  return {
    databaseBytes,
    logBytes,
    freeBytes: disk && disk.bavail * disk.bsize,
    totalBytes: disk && disk.blocks * disk.bsize,
  };
}

/**
 * The delay of a timer beyond its plan. It is counted from the start, so that one reader
 * does not reset it for others.
 */
export class EventLoopDelays {
  readonly histogram = new Histogram(DELAY_BOUNDS_SECONDS);
  #due = performance.now() + DELAY_SAMPLE_MS;
  readonly #timer = setInterval(() => this.#sample(), DELAY_SAMPLE_MS).unref();

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const now = performance.now();
    this.histogram.observe(Math.max(0, now - this.#due) / 1000);
    this.#due = now + DELAY_SAMPLE_MS;
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    // After a clean stop the log is missing until the first write.
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? 0 : undefined;
  }
}

/** Only Linux has this figure. */
async function openDescriptors(): Promise<number | undefined> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    return undefined;
  }
}

async function maxDescriptors(): Promise<number | undefined> {
  try {
    const found = /^Max open files +(\d+)/m.exec(await readFile('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

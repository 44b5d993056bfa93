// Start-up beside a bare `select` of the same rows, each in a fresh process,
// and what the records weigh in memory.

import { makeDataSet } from '../data-set.js';
import { memoryOf, startScript } from '../processes.js';
import { median, medianRatio } from '../statistics.js';
import { count, milliseconds } from '../table.js';
import { listening, startOurs } from '../targets.js';

/** @import { Bench } from '../bench-context.js' */
/** @import { DataSet } from '../data-set.js' */
/** @import { Line } from '../table.js' */

const ACCOUNT = { prefix: 'started', owners: 1 };
const GOAL_FROM = 1_000_000;

/** @typedef {{ ms: number, resident: number, peak: number }} Start */

export async function startUp(/** @type {Bench} */ bench) {
  const { sizes, rounds, say } = bench;
  const empty = await startOnce(bench, bench.emptyDatabase);
  /** @type {Line[]} */
  const lines = [];
  for (const records of sizes) {
    const data = await makeDataSet(bench, `start-${records}`, [{ ...ACCOUNT, records }]);
    /** @type {Start[]} */
    const starts = [];
    /** @type {number[]} */
    const selects = [];
    for (let round = 0; round < rounds; round++) {
      say(`start-up with ${count(records)}: round ${round + 1} of ${rounds}`);
      starts.push(await startOnce(bench, data.file));
      selects.push(await selectTime(data.file));
    }
    lines.push(
      ...startLines(records, starts, selects),
      ...memoryLines(records, data, empty, starts),
    );
  }
  return lines.sort((a, b) => Number(isMemory(a)) - Number(isMemory(b)));
}

function isMemory(/** @type {Line} */ { workload }) {
  return workload.startsWith('memory');
}

/** From the start of the process until it listens; memory a moment later. */
export async function startOnce(
  /** @type {Bench} */ { identity, settleMs },
  /** @type {string} */ file,
) {
  const began = performance.now();
  const started = await listening(startOurs({ file, identityOrigin: identity.origin }));
  const ms = performance.now() - began;
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const memory = memoryOf(started.process.pid);
  await started.process.stop();
  return { ms, ...memory };
}

/** From the start of the process until all rows are there. */
async function selectTime(/** @type {string} */ file) {
  const began = performance.now();
  const process = startScript('./targets/database-rows.js', ['select', file]);
  await process.saw(/"rows":/);
  const ms = performance.now() - began;
  await process.ended();
  return ms;
}

/** @returns {Line[]} */
function startLines(
  /** @type {number} */ records,
  /** @type {readonly Start[]} */ starts,
  /** @type {readonly number[]} */ selects,
) {
  const workload = `start-up, ${count(records)} records`;
  const times = starts.map(({ ms }) => ms);
  return [
    { workload, who: 'ours', result: `${milliseconds(median(times))} ms` },
    {
      workload,
      who: 'bare select of the rows',
      result: `${milliseconds(median(selects))} ms`,
      ratio: medianRatio(times, selects),
      ...(records >= GOAL_FROM && { goal: { kind: 'most', limit: 1.5 } }),
    },
  ];
}

/** @returns {Line[]} */
function memoryLines(
  /** @type {number} */ records,
  /** @type {DataSet} */ { payloadBytes },
  /** @type {Start} */ empty,
  /** @type {readonly Start[]} */ starts,
) {
  const workload = `memory, ${count(records)} records`;
  const resident = median(starts.map((start) => start.resident)) - empty.resident;
  const peak = median(starts.map((start) => start.peak)) - empty.peak;
  const of = (/** @type {number} */ bytes) =>
    `${count(bytes / records)} B/record, ${count(bytes / 2 ** 20)} MiB`;
  return [
    { workload, who: 'ours, above an empty service', result: of(resident) },
    {
      workload,
      who: 'the records as JSON',
      result: of(payloadBytes),
      ratio: resident / payloadBytes,
      ...(records >= GOAL_FROM && { goal: { kind: 'most', limit: 2.2 } }),
    },
    { workload, who: 'ours, at most while loading', result: of(peak) },
  ];
}

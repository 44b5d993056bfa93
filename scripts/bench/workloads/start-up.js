// Start-up compared with SQLite's own reading of the same file, each in a fresh process,
// and the memory that the records take.

import { root } from '../../root.js';
import { makeDataSet, otherDataSet } from '../data-set.js';
import { cpuMicrosecondsOf, memoryOf, startScript } from '../processes.js';
import { median, medianRatio } from '../statistics.js';
import { count, milliseconds } from '../table.js';
import { listening, OTHER_BUILD, startOurs } from '../targets.js';

/** @import { Bench } from '../bench.js' */
/** @import { DataSet } from '../data-set.js' */
/** @import { Line } from '../table.js' */

const ACCOUNTS = { prefix: 'started', owners: 20_000 };
const GOAL_FROM = 1_000_000;

/** @typedef {{ ms: number, cpu: number, resident: number }} Start `cpu`: microseconds. */

export async function startUp(/** @type {Bench} */ bench) {
  const { sizes, rounds, log } = bench;
  const empty = await startOnce(bench, bench.emptyDatabase);
  /** @type {Line[]} */
  const lines = [];
  for (const records of sizes) {
    const data = await makeDataSet(bench, `start-${records}`, [{ ...ACCOUNTS, records }]);
    /** @type {Start[]} */
    const starts = [];
    const ofOther = await otherDataSet(bench, `start-${records}`, data.accounts);
    /** @type {Start[]} */
    const otherStarts = [];
    /** @type {number[]} */
    const readings = [];
    for (let round = 0; round < rounds; round++) {
      log(`start-up with ${count(records)}: round ${round + 1} of ${rounds}`);
      starts.push(await startOnce(bench, data.file));
      if (ofOther) otherStarts.push(await startOnce(bench, ofOther.file, bench.other?.checkout));
      readings.push(await readingTime(data.file));
    }
    lines.push(
      ...startLines(records, starts, otherStarts, readings),
      ...memoryLines(records, data, empty, starts),
    );
  }
  return lines;
}

/** From the start of the process until it listens; memory a moment later. */
async function startOnce(
  /** @type {Bench} */ { identity, settleMs },
  /** @type {string} */ file,
  checkout = root,
) {
  const began = performance.now();
  const started = await listening(startOurs({ file, checkout, identityOrigin: identity.origin }));
  const ms = performance.now() - began;
  const cpu = cpuMicrosecondsOf(started.process.pid) ?? Number.NaN;
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const { resident } = memoryOf(started.process.pid);
  await started.process.stop();
  return { ms, cpu, resident };
}

/** SQLite's check of the file and its reading of every body, in milliseconds, without the start of a process. */
async function readingTime(/** @type {string} */ file) {
  const read = await startScript('./targets/database-reading.js', [file]).ended();
  return Number(JSON.parse(read).ms);
}

/** @returns {Line[]} */
function startLines(
  /** @type {number} */ records,
  /** @type {readonly Start[]} */ starts,
  /** @type {readonly Start[]} */ otherStarts,
  /** @type {readonly number[]} */ readings,
) {
  const workload = `start-up, ${count(records)} records`;
  const times = starts.map(({ ms }) => ms);
  const line = (/** @type {string} */ who, /** @type {readonly Start[]} */ all) => ({
    workload,
    who,
    result: `${milliseconds(median(all.map(({ ms }) => ms)))} ms`,
    cpu: median(all.map(({ cpu }) => cpu)) / records,
  });
  /** @type {Line[]} */
  const lines = [line('ours', starts)];
  if (otherStarts.length > 0) {
    const cpuOf = (/** @type {readonly Start[]} */ all) => all.map(({ cpu }) => cpu);
    lines.push({
      ...line(OTHER_BUILD, otherStarts),
      ratio: medianRatio(
        times,
        otherStarts.map(({ ms }) => ms),
      ),
      cpuRatio: medianRatio(cpuOf(otherStarts), cpuOf(starts)),
    });
  }
  const result = `${milliseconds(median(readings))} ms`;
  const ratio = medianRatio(times, readings);
  return [...lines, { workload, who: 'SQLite alone checks and reads the file', result, ratio }];
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
  ];
}

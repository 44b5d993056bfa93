// The table of results in Markdown: for each workload a line for the service, then one for each target
// that it is compared with.

import { medianOf, ratioOf } from './rounds.js';

/** @import { Measured } from './rounds.js' */

/**
 * @typedef {object} Goal
 * @property {'least' | 'most'} kind
 * @property {number} limit Of the line's ratio.
 */

/**
 * @typedef {object} Line
 * @property {string} workload
 * @property {string} who
 * @property {string} result
 * @property {string} [latency]
 * @property {number} [cpu] Microseconds of the server's processor time for a request.
 * @property {number} [ratio] Ours to this.
 * @property {number} [cpuRatio] The same by processor time: this to ours.
 * @property {Goal} [goal]
 */

/**
 * Lines of a workload that was measured in turn: `ours` first, then the others.
 * @param {string} workload
 * @param {readonly Measured[]} measured Ours first.
 * @param {Readonly<Record<string, Goal>>} [goals] By the name of the other.
 * @returns {Line[]}
 */
export function loadLines(workload, measured, goals = {}) {
  const [ours] = measured;
  return measured.map((one, index) => {
    const goal = goals[one.name];
    return {
      workload,
      who: one.name,
      result: `${count(medianOf(one, 'perSecond'))}/s`,
      latency: latencyOf(one),
      cpu: medianOf(one, 'cpu'),
      ...(index > 0 && {
        ratio: ratioOf(ours, one, 'perSecond'),
        cpuRatio: ratioOf(one, ours, 'cpu'),
      }),
      ...(goal && { goal }),
    };
  });
}

export function latencyOf(/** @type {Measured} */ measured) {
  return [medianOf(measured, 'p50'), medianOf(measured, 'p99'), medianOf(measured, 'p999')]
    .map(milliseconds)
    .join(' / ');
}

/** Whether a line's goal is reached; undefined if it has none. */
export function isReached(/** @type {Line} */ { goal, ratio }) {
  if (goal === undefined || ratio === undefined) return undefined;
  return goal.kind === 'least' ? ratio >= goal.limit : ratio <= goal.limit;
}

const HEADINGS = [
  'Work',
  'Who',
  'Result',
  'p50 / p99 / p99.9, ms',
  'CPU, µs',
  'Ours to it',
  'by CPU',
  'Goal',
];

/** @returns {string} */
export function tableOf(/** @type {readonly Line[]} */ lines) {
  const rows = lines.map((line, index) => [
    line.workload === lines[index - 1]?.workload ? '' : line.workload,
    line.who,
    line.result,
    line.latency ?? '',
    finite(line.cpu, (cpu) => cpu.toFixed(1)),
    finite(line.ratio, ratioText),
    finite(line.cpuRatio, ratioText),
    goalText(line),
  ]);
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const text = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const ruler = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [text(HEADINGS), ruler, ...rows.map(text)].join('\n');
}

function goalText(/** @type {Line} */ line) {
  if (line.goal === undefined) return '';
  const sign = line.goal.kind === 'least' ? '≥' : '≤';
  return `${sign} ${line.goal.limit} ${isReached(line) ? 'reached' : 'MISSED'}`;
}

function finite(
  /** @type {number | undefined} */ value,
  /** @type {(value: number) => string} */ format,
) {
  return value === undefined || !Number.isFinite(value) ? '' : format(value);
}

function ratioText(/** @type {number} */ ratio) {
  return `${ratio >= 20 ? ratio.toFixed(0) : ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2)} ×`;
}

/** 31402.6 → `31 403`. */
export function count(/** @type {number} */ value) {
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ');
}

export function milliseconds(/** @type {number} */ value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

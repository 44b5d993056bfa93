// Runs interleaved rounds (A B A B …), so that other load on the machine affects all contenders alike.

import { cpuMicrosecondsOf } from './processes.js';
import { median, medianRatio } from './statistics.js';

/** @import { Load, LoadRequest } from './load.js' */
/** @import { Bench } from './bench.js' */
/** @import { Target } from './targets.js' */

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {Target} target
 * @property {readonly LoadRequest[]} requests
 */

/** One round; `cpu` is the server's processor time for a request in microseconds, NaN where unknown. */
/** @typedef {Load & { cpu: number }} Round */

/** @typedef {{ name: string, rounds: Round[] }} Measured */

/** Measures the contenders in turn, after a warm-up. */
export async function interleave(
  /** @type {Bench} */ bench,
  /** @type {string} */ workload,
  /** @type {readonly Contender[]} */ contenders,
) {
  const { rounds, seconds, connections } = bench;
  await warmUp(bench, workload, contenders);
  /** @type {Measured[]} */
  const measured = contenders.map(({ name }) => ({ name, rounds: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const { name, target, requests } = contender;
      bench.log(`${workload}: round ${round + 1} of ${rounds}, ${name}`);
      const { pid } = target.process;
      const before = cpuMicrosecondsOf(pid) ?? Number.NaN;
      const load = await bench.load({ origin: target.origin, requests, connections, seconds });
      const after = cpuMicrosecondsOf(pid) ?? Number.NaN;
      measured[index]?.rounds.push({ ...load, cpu: (after - before) / load.requests });
    }
  }
  return measured;
}

/** A service that has just started is still being compiled for some seconds of load, longer the more code it has. */
async function warmUp(
  /** @type {Bench} */ bench,
  /** @type {string} */ workload,
  /** @type {readonly Contender[]} */ contenders,
) {
  bench.log(`${workload}: warming up`);
  const { connections, warmUpSeconds: seconds } = bench;
  for (const { target, requests } of contenders) {
    await bench.load({ origin: target.origin, requests, connections, seconds });
  }
}

/** The median of one figure over all rounds. */
export function medianOf(
  /** @type {Measured | undefined} */ measured,
  /** @type {keyof Round} */ figure,
) {
  return median(figures(measured, figure));
}

/** The median of the rounds' ratios, first to second. */
export function ratioOf(
  /** @type {Measured | undefined} */ first,
  /** @type {Measured | undefined} */ second,
  /** @type {keyof Round} */ figure,
) {
  return medianRatio(figures(first, figure), figures(second, figure));
}

function figures(/** @type {Measured | undefined} */ measured, /** @type {keyof Round} */ figure) {
  return measured?.rounds.map((round) => round[figure]) ?? [];
}

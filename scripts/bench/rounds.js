// Rounds in turn, A B A B …: whatever else the machine does meets everyone alike.

import { cpuMicrosecondsOf } from './processes.js';
import { median, medianRatio } from './statistics.js';

/** @import { Load, LoadRequest } from './load.js' */
/** @import { Bench } from './bench-context.js' */
/** @import { Target } from './targets.js' */

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {Target} target
 * @property {readonly LoadRequest[]} requests
 * @property {number} [connections] Where the usual number makes no sense.
 * @property {boolean} [isAside] No goal depends on it: a quick run measures it once.
 */

/** One round; `cpu` is the server's processor time for a request in microseconds, NaN where unknown. */
/** @typedef {Load & { cpu: number }} Round */

/** @typedef {{ name: string, rounds: Round[] }} Measured */

const QUIET_LOOK_MS = 200;
const QUIET_LOOKS_MAX = 50;

/** Measures everyone in turn, after a round that is not counted. */
export async function inTurn(
  /** @type {Bench} */ bench,
  /** @type {string} */ workload,
  /** @type {readonly Contender[]} */ contenders,
) {
  const { rounds, seconds } = bench;
  await warmUp(bench, workload, contenders);
  /** @type {Measured[]} */
  const measured = contenders.map(({ name }) => ({ name, rounds: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      if (bench.quick && contender.isAside && round > 0) continue;
      const { name, target, requests, connections = bench.connections } = contender;
      bench.say(`${workload}: round ${round + 1} of ${rounds}, ${name}`);
      const before = cpuOf(target);
      const load = await bench.load({ origin: target.origin, requests, connections, seconds });
      const after = cpuOf(target);
      measured[index]?.rounds.push({ ...load, cpu: (after - before) / load.requests });
      await quiet(target);
    }
  }
  return measured;
}

/** Resolves once the process works no more: json-server writes its file for seconds after its round, in the time of the next one. */
async function quiet(/** @type {Target} */ target) {
  for (let look = 0, before = cpuOf(target); look < QUIET_LOOKS_MAX; look++) {
    await new Promise((resolve) => setTimeout(resolve, QUIET_LOOK_MS));
    const now = cpuOf(target);
    // A tenth of a processor; NaN where the system does not say.
    if (!(now - before > QUIET_LOOK_MS * 100)) return;
    before = now;
  }
}

function cpuOf(/** @type {Target} */ { process, others = [] }) {
  return [process.pid, ...others].reduce(
    (sum, pid) => sum + (cpuMicrosecondsOf(pid) ?? Number.NaN),
    0,
  );
}

/**
 * A service that has just started is still being compiled for some seconds of
 * load, longer the more code it has. A quick run warms up everyone with a goal
 * at once, to save time.
 */
async function warmUp(
  /** @type {Bench} */ bench,
  /** @type {string} */ workload,
  /** @type {readonly Contender[]} */ contenders,
) {
  const seconds = bench.warmUpSeconds;
  if (seconds === 0) return;
  bench.say(`${workload}: warming up`);
  const warm = (/** @type {Contender} */ contender) => {
    const { target, requests, connections = bench.connections } = contender;
    return bench.load({ origin: target.origin, requests, connections, seconds, mayBeEmpty: true });
  };
  if (bench.quick) await Promise.all(contenders.filter(({ isAside }) => !isAside).map(warm));
  else for (const contender of contenders) await warm(contender);
}

/** The middle of one figure over all rounds. */
export function medianOf(
  /** @type {Measured | undefined} */ measured,
  /** @type {keyof Round} */ figure,
) {
  return median(figures(measured, figure));
}

/** The middle of the rounds' ratios, first to second. */
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

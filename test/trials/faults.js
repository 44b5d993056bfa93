// I/O faults: one call of the storage thread fails, for every call of a scripted
// life of the server. Afterwards the answers were right, memory equals the file,
// and it went on by itself or stopped and said why.

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startIdentityProvider } from '../../scripts/bench/targets.js';
import { oneLife } from './fault-life.js';
import { fullDisk } from './full-disk.js';
import { Differences } from './ledger.js';
import { newSeed, randomFrom } from './random.js';
import { spawnService } from './service-process.js';
import { tracerIsMissing } from './trace.js';

/** @import { Finding, Trial, TrialOptions } from './trial.js' */
/** @import { End, Life } from './fault-life.js' */

const CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate'];
const ERRORS = ['EIO', 'ENOSPC'];
const AT_ONCE = 2;
const QUICK_FAULTS = 24;

/**
 * A call that fails.
 * @typedef {object} Fault
 * @property {string} call
 * @property {string} error
 * @property {number} nth
 * @property {boolean} lasting And all its kind after it.
 * @property {boolean} killedAtOnce After a look at everything; else it goes on for a while.
 */

/** @type {Trial} */
export const faults = (options) => faultsOf(options);

/** @returns {Promise<Finding[]>} */
export async function faultsOf(
  /** @type {TrialOptions & { count?: number, seed?: number, calls?: readonly string[] }} */ options,
) {
  const missing = tracerIsMissing();
  if (missing !== undefined) {
    return [{ fault: 'I/O faults', tried: 'not tried', found: missing, holds: undefined }];
  }
  const { folder, quick, say, seed = newSeed(), calls: wanted = CALLS } = options;
  const identity = await startIdentityProvider();
  const random = randomFrom(seed);
  const count = options.count ?? (quick ? QUICK_FAULTS : Number.POSITIVE_INFINITY);
  const lives = new Lives({ folder, seed, identityOrigin: identity.origin });
  try {
    const calls = await lives.count();
    say(`a life of ${[...calls].map(([call, times]) => `${times} ${call}`).join(', ')}`);
    const all = everyFault([...calls].filter(([call]) => wanted.includes(call)));
    const chosen = Number.isFinite(count) ? sample(all, count, random) : all;
    const lasting = sample(all, Math.ceil(chosen.length / 8), random);
    const once = await lives.all(chosen, say);
    const forever = await lives.all(
      lasting.map((fault) => ({ ...fault, lasting: true })),
      say,
    );
    return [
      findingOf('one write, sync or truncate fails with EIO or ENOSPC', once, seed),
      findingOf('every write, sync or truncate fails from one on', forever, seed),
      await fullDisk({ folder, identityOrigin: identity.origin, seed }),
    ];
  } finally {
    await identity.process.stop();
  }
}

/** Each error of each call, with each way to go on. @returns {Fault[]} */
function everyFault(/** @type {readonly (readonly [call: string, times: number])[]} */ calls) {
  return calls.flatMap(([call, times]) =>
    ERRORS.flatMap((error) =>
      [false, true].flatMap((killedAtOnce) =>
        Array.from({ length: times }, (_, index) => {
          return { call, error, nth: index + 1, lasting: false, killedAtOnce };
        }),
      ),
    ),
  );
}

class Lives {
  #folder;
  #seed;
  #identityOrigin;
  #lives = 0;

  constructor(/** @type {{ folder: string, seed: number, identityOrigin: string }} */ options) {
    this.#folder = options.folder;
    this.#seed = options.seed;
    this.#identityOrigin = options.identityOrigin;
  }

  /** How often each call is made in a life without a fault, by the thread that makes it most: the tracer counts by thread. */
  async count() {
    const { trace, life } = await this.#live();
    if (life.wrongs.length > 0) throw new Error(`without a fault: ${life.wrongs.join('; ')}`);
    const counts = CALLS.map((call) => {
      /** @type {Map<string, number>} */
      const byThread = new Map();
      for (const [, thread = ''] of trace.matchAll(new RegExp(`^(\\d+) +${call}\\(`, 'gm'))) {
        byThread.set(thread, (byThread.get(thread) ?? 0) + 1);
      }
      return /** @type {const} */ ([call, Math.max(0, ...byThread.values())]);
    });
    return new Map(counts.filter(([, times]) => times > 0));
  }

  /** Lives with these faults, some at a time. */
  async all(/** @type {readonly Fault[]} */ chosen, /** @type {(text: string) => void} */ say) {
    const waiting = chosen.slice();
    /** @type {Life[]} */
    const lives = [];
    const next = async () => {
      for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
        const { life } = await this.#live(fault);
        for (const wrong of life.wrongs) say(`${JSON.stringify(fault)}: ${wrong}`);
        lives.push(life);
        if (lives.length % 50 === 0) say(`${lives.length} of ${chosen.length} faults`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    return lives;
  }

  async #live(/** @type {Fault | undefined} */ fault = undefined) {
    const own = join(this.#folder, `life-${++this.#lives}`);
    mkdirSync(join(own, 'data'), { recursive: true });
    const [output, file] = [join(own, 'trace'), join(own, 'data/service.db')];
    const inject =
      fault === undefined
        ? []
        : [
            '-e',
            `inject=${fault.call}:error=${fault.error}:when=${fault.nth}${fault.lasting ? '+' : ''}`,
          ];
    const under = ['strace', '-D', '-f', '--seccomp-bpf', '-qq', '-y', '-o', output];
    const service = spawnService({
      file,
      identityOrigin: this.#identityOrigin,
      under: [...under, '-e', `trace=${CALLS.join(',')}`, ...inject],
    });
    const isHit = () => readFileSync(output, 'latin1').includes('(INJECTED)');
    const life = await oneLife(service, file, {
      seed: this.#seed,
      isHit,
      mustRecover: fault?.lasting !== true,
      killedAtOnce: fault?.killedAtOnce === true,
    });
    if (fault !== undefined && !isHit()) life.wrongs.push('the fault did not happen');
    const trace = readFileSync(output, 'latin1');
    rmSync(own, { recursive: true, force: true });
    return { life, trace };
  }
}

/** @returns {Finding} */
function findingOf(
  /** @type {string} */ fault,
  /** @type {readonly Life[]} */ lives,
  /** @type {number} */ seed,
) {
  const differences = new Differences();
  /** @type {Map<End, number>} */
  const ends = new Map();
  let wrong = 0;
  for (const life of lives) {
    differences.add(life.differences);
    ends.set(life.end, (ends.get(life.end) ?? 0) + 1);
    if (life.wrongs.length > 0) wrong++;
  }
  const counts = [...ends].map(([end, count]) => `${count} ${end}`).join(', ');
  return {
    fault,
    tried: `${lives.length} faults (seed ${seed})`,
    found: `${differences}, ${wrong} wrong answers, disagreements or silent ends; the service: ${counts}`,
    holds: wrong === 0,
  };
}

/**
 * @template T
 * @param {readonly T[]} values
 * @param {number} count
 * @param {import('./random.js').Random} random
 */
function sample(values, count, random) {
  const rest = values.slice();
  return Array.from({ length: Math.min(count, rest.length) }, () => {
    const [taken] = rest.splice(random.between(0, rest.length - 1), 1);
    return /** @type {T} */ (taken);
  });
}

// I/O faults: one call of the storage thread fails, for every call of a scripted
// life of the server. Afterwards the answers were right, memory equals the file,
// and it went on by itself or stopped and said why.

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startIdentityProvider } from '../bench/targets.js';
import { fullDisk } from './full-disk.js';
import { Differences, Ledger } from './ledger.js';
import { newSeed, randomFrom } from './random.js';
import { clientOf } from './requests.js';
import { spawnService } from './service-process.js';
import { isSame, openStored, readService } from './stored.js';
import { tracerIsMissing } from './trace.js';
import { Hand } from './workload.js';

/** @import { Finding, Trial, TrialOptions } from './trial.js' */
/** @import { Service } from './service-process.js' */

const CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate'];
const ERRORS = ['EIO', 'ENOSPC'];
const CHANGES = 24;
const AT_ONCE = 2;
const QUICK_FAULTS = 24;
/** One of these must be taken, where not everything fails for good. */
const LAST_CHANGES = 3;

/**
 * A call that fails; `lasting`: and all its kind after it.
 * @typedef {{ call: string, error: string, nth: number, lasting?: boolean }} Fault
 *
 * @typedef {'went on' | 'stopped' | 'refused to start' | 'failed to stop' | 'took no harm'} End
 *
 * @typedef {object} Life
 * @property {End} end
 * @property {Differences} differences
 * @property {string[]} wrongs What it did that it must not.
 */

/** @type {Trial} */
export const faults = (options) => faultsOf(options);

/** @returns {Promise<Finding[]>} */
export async function faultsOf(
  /** @type {TrialOptions & { count?: number, seed?: number }} */ options,
) {
  const missing = tracerIsMissing();
  if (missing !== undefined) {
    return [{ fault: 'I/O faults', tried: 'not at all', found: missing, holds: false }];
  }
  const { folder, quick, say, seed = newSeed() } = options;
  const identity = await startIdentityProvider();
  const random = randomFrom(seed);
  const count = options.count ?? (quick ? QUICK_FAULTS : Number.POSITIVE_INFINITY);
  const lives = new Lives({ folder, seed, identityOrigin: identity.origin });
  try {
    const calls = await lives.count();
    say(`a life of ${[...calls].map(([call, times]) => `${times} ${call}`).join(', ')}`);
    /** @type {Fault[]} */
    const all = [...calls].flatMap(([call, times]) =>
      ERRORS.flatMap((error) =>
        Array.from({ length: times }, (_, index) => ({ call, error, nth: index + 1 })),
      ),
    );
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

  /** How often each call is made in a life without a fault. */
  async count() {
    const { trace, life } = await this.#live();
    if (life.wrongs.length > 0) throw new Error(`without a fault: ${life.wrongs.join('; ')}`);
    const counts = CALLS.map((call) => {
      const lines = trace.split('\n').filter((line) => line.includes(` ${call}(`));
      return /** @type {const} */ ([call, lines.length]);
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
    });
    if (fault !== undefined && !isHit()) life.wrongs.push('the fault did not happen');
    const trace = readFileSync(output, 'latin1');
    rmSync(own, { recursive: true, force: true });
    return { life, trace };
  }
}

/**
 * @typedef {object} Script
 * @property {number} seed
 * @property {() => boolean} isHit
 * @property {boolean} mustRecover
 */

/** @returns {Promise<Life>} */
async function oneLife(
  /** @type {Service} */ service,
  /** @type {string} */ file,
  /** @type {Script} */ options,
) {
  const ledger = new Ledger();
  /** @type {string[]} */
  const wrongs = [];
  const started = await service.saw('started').catch(() => undefined);
  const seen =
    started && (await script(service, String(started['address']), ledger, wrongs, options));
  // What the stop writes may fail, too: then it has to be let go on.
  const wasHit = options.isHit();
  const isEnding = seen === undefined && wrongs.length === 0;
  const code = isEnding ? await service.exited : await service.end(wasHit ? 'SIGKILL' : 'SIGTERM');
  const stored = await openStored(file);
  if (stored === undefined) {
    wrongs.push(`the file cannot be opened afterwards: ${service.output()}`);
    return { end: 'stopped', differences: new Differences(), wrongs };
  }
  const differences = ledger.compare(stored.rows, stored.events);
  if (differences.count > 0) wrongs.push(String(differences));
  if (seen !== undefined && !isSame(seen, stored)) wrongs.push('memory was not what the file has');
  const end = endOf(service, {
    code,
    isStarted: started !== undefined,
    wasHit,
    isSeen: seen !== undefined,
  });
  if (end === undefined) wrongs.push(`exit code ${code} without a reason: ${service.output()}`);
  const failures = service.log().some(({ event }) => event === 'storage_commit_failed');
  if (end === 'went on' && !failures) return { end: 'took no harm', differences, wrongs };
  return { end: end ?? 'stopped', differences, wrongs };
}

/**
 * The scripted life: changes, one after the other, then a look at everything;
 * undefined where the server went away meanwhile.
 * @param {Service} service
 * @param {string} origin
 * @param {Ledger} ledger
 * @param {string[]} wrongs
 * @param {Script} options
 */
async function script(service, origin, ledger, wrongs, { seed, mustRecover }) {
  const client = clientOf(origin);
  try {
    const hand = new Hand({ client, ledger, random: randomFrom(seed), hands: 1 }, 0);
    for (let change = 0; change < CHANGES; change++) {
      if (!(await hand.changeSomething())) return undefined;
    }
    const { acknowledged } = ledger.outcomes;
    for (let change = 0; change < LAST_CHANGES; change++) {
      if (!(await hand.create())) return undefined;
    }
    if (mustRecover && ledger.outcomes.acknowledged === acknowledged) wrongs.push('no recovery');
    return await readService(client);
  } catch (error) {
    if (service.isRunning()) wrongs.push(error instanceof Error ? error.message : String(error));
    return undefined;
  } finally {
    client.close();
  }
}

/**
 * How the life ended; undefined: as none may.
 * @returns {End | undefined}
 */
function endOf(
  /** @type {Service} */ service,
  /** @type {{ code: number | null, isStarted: boolean, wasHit: boolean, isSeen: boolean }} */ life,
) {
  const { code, isStarted, wasHit, isSeen } = life;
  const logged = (/** @type {string} */ event) =>
    service.log().some((line) => line.event === event);
  if (!isStarted) return code === 1 && logged('start_failed') ? 'refused to start' : undefined;
  if (!isSeen) return code === 1 && logged('storage_lost') ? 'stopped' : undefined;
  if (wasHit || code === 0) return 'went on';
  return code === 1 && (logged('stop_failed') || logged('storage_lost'))
    ? 'failed to stop'
    : undefined;
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

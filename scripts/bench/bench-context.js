// What every row of workload gets: how long to measure, where to keep files, whom
// to ask for tokens, and where to say how far it is.

/** @import { LoadOptions, Load } from './load.js' */
/** @import { Target } from './targets.js' */

/**
 * Another checkout of the service with its build, beside ours.
 * @typedef {object} OtherBuild
 * @property {string} checkout
 * @property {string} emptyDatabase As this build makes it: two builds may write different files.
 */

/**
 * @typedef {object} Bench
 * @property {boolean} quick
 * @property {number} rounds
 * @property {number} seconds Of one round.
 * @property {number} warmUpSeconds
 * @property {number} connections
 * @property {readonly number[]} sizes Records for start-up and memory.
 * @property {number} tenantRecords In all, of the 10,000 tenants.
 * @property {number} settleMs After a start, before memory is looked at.
 * @property {string} folder For databases and scratch files, on a real disk.
 * @property {string} emptyDatabase As the service makes it.
 * @property {OtherBuild} [other]
 * @property {Target} identity
 * @property {() => boolean} isOutOfTime Nothing more may begin: a quick run must end.
 * @property {boolean} hasFastify Whether its native driver could be installed.
 * @property {boolean} hasTracer
 * @property {(options: LoadOptions) => Promise<Load>} load
 * @property {(text: string) => void} say
 */

export {};

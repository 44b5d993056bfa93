// `npm run bench`: compares the service with its floors and another checkout in one run.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../root.js';
import { hasLoadTool, loadGenerator } from './load.js';
import { machineText } from './machine.js';
import { killAllProcesses } from './processes.js';
import { isReached, tableOf } from './table.js';
import { emptyDatabase, startIdentityProvider } from './targets.js';
import { listTwenty, readOne } from './workloads/reads.js';
import { search } from './workloads/search.js';
import { startUp } from './workloads/start-up.js';
import { create, update } from './workloads/writes.js';

/** @import { Load, LoadOptions } from './load.js' */
/** @import { Line } from './table.js' */
/** @import { Target } from './targets.js' */

/**
 * Passed to every workload.
 * @typedef {object} Bench
 * @property {number} rounds
 * @property {number} seconds Of one round.
 * @property {number} warmUpSeconds
 * @property {number} connections
 * @property {readonly number[]} sizes Records for start-up and memory.
 * @property {number} settleMs After a start, before memory is measured.
 * @property {string} folder For databases and scratch files, on a real disk.
 * @property {string} emptyDatabase As the service makes it.
 * @property {{ checkout: string, emptyDatabase: string }} [other] Another checkout; its build may write a different file format.
 * @property {Target} identity
 * @property {(options: LoadOptions) => Promise<Load>} load
 * @property {(text: string) => void} log
 */

const QUICK = { rounds: 2, seconds: 1, warmUpSeconds: 2, sizes: [10_000], settleMs: 300 };
const FULL = {
  rounds: 5,
  seconds: 3,
  warmUpSeconds: 4,
  sizes: [10_000, 100_000, 1_000_000],
  settleMs: 2_000,
};
const CONNECTIONS = 64;

/** @type {ReadonlyMap<string, (bench: Bench) => Promise<Line[]>>} */
const ROWS = new Map([
  ['read', readOne],
  ['list', listTwenty],
  ['create', create],
  ['update', update],
  ['search', search],
  ['start', startUp],
]);

const HELP = `npm run bench -- [--quick] [--rows ROW,ROW] [--beside FOLDER]

Compares the service with its floors: the same bytes from a bare server, SQLite's own reading of
the file. Prints a table in Markdown; exits with 1 if a goal is missed. Needs wrk (Debian:
apt-get install wrk).

  --rows ROW,ROW   of ${[...ROWS.keys()].join(', ')}
  --beside FOLDER  another checkout of the service, built there with npm run build
  --quick          short rounds, to check that it works; its figures understate the service
`;

const options = optionsOf(process.argv.slice(2));

const started = performance.now();
// Not the system's temporary folder, which may be in memory, where a sync costs nothing.
mkdirSync(join(root, 'data'), { recursive: true });
const folder = mkdtempSync(join(root, 'data/bench-'));
process.on('exit', () => {
  killAllProcesses();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

const identity = await startIdentityProvider();
/** @type {Bench} */
const bench = {
  ...(options.quick ? QUICK : FULL),
  connections: CONNECTIONS,
  folder,
  emptyDatabase: await emptyDatabase(folder, identity),
  ...(options.beside !== undefined && {
    other: {
      checkout: options.beside,
      emptyDatabase: await emptyDatabase(folder, identity, options.beside),
    },
  }),
  identity,
  load: loadGenerator(folder),
  log(text) {
    const seconds = String(Math.round((performance.now() - started) / 1000));
    process.stderr.write(`${seconds.padStart(4)} s  ${text}\n`);
  },
};
const machine = machineText(bench);
for (const text of machine) bench.log(text);

/** @type {Line[]} */
const lines = [];
/** @type {string[]} */
const failures = [];
for (const name of options.rows) {
  try {
    lines.push(...((await ROWS.get(name)?.(bench)) ?? []));
  } catch (error) {
    // The other rows' figures are still printed, but the run has failed.
    failures.push(`FAILED: ${name}. ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
    killAllProcesses(identity.process);
  }
}
await identity.process.stop();

const missed = lines.filter((line) => isReached(line) === false).length;
if (missed > 0) process.exitCode = 1;
const reached = lines.filter((line) => line.goal).length - missed;
const seconds = Math.round((performance.now() - started) / 1000);
const summary = `${reached} goals reached, ${missed} missed, in ${seconds} s.`;
process.stdout.write(`${[...machine, '', tableOf(lines), '', ...failures, summary].join('\n')}\n`);
/** Ends the process if an argument is invalid. @param {string[]} args */
function optionsOf(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        quick: { type: 'boolean', default: false },
        rows: { type: 'string' },
        beside: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    const rows = values.rows?.split(',') ?? [...ROWS.keys()];
    const unknown = rows.filter((name) => !ROWS.has(name));
    if (unknown.length > 0) throw new Error(`unknown rows: ${unknown.join(', ')}`);
    const beside = values.beside === undefined ? undefined : resolve(values.beside);
    if (beside !== undefined && !existsSync(join(beside, 'dist/server.js'))) {
      throw new Error(`${beside} has no dist/server.js; run npm run build there`);
    }
    if (!hasLoadTool()) throw new Error('wrk is not installed; Debian: apt-get install wrk');
    return { quick: values.quick, rows, beside };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
    return process.exit(2);
  }
}

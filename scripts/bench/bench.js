// `npm run bench`: the service, its floors and its peers, side by side in one run.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeReady, root } from '../setup.js';
import { loadGenerator } from './load.js';
import { machineText } from './machine.js';
import { optionsOf } from './options.js';
import { hasPeerPackage, installPeers } from './peer-packages.js';
import { canTrace, emptyDatabase } from './preparation.js';
import { killAll } from './processes.js';
import { isReached, tableOf } from './table.js';
import { startIdentityProvider } from './targets.js';
import { WORKLOADS } from './workloads.js';

/** @import { Bench } from './bench-context.js' */
/** @import { Line } from './table.js' */

const QUICK = {
  rounds: 2,
  seconds: 1,
  warmUpSeconds: 2,
  sizes: [10_000, 100_000],
  tenantRecords: 200_000,
  settleMs: 300,
  /** No row of workload is begun after this, and no part of one after that: a quick run ends within two minutes. */
  beginMs: 90_000,
  outOfTimeMs: 110_000,
  timeoutMs: 180_000,
};
const FULL = {
  rounds: 5,
  seconds: 3,
  warmUpSeconds: 4,
  sizes: [10_000, 100_000, 1_000_000],
  tenantRecords: 1_000_000,
  settleMs: 2_000,
  beginMs: Number.POSITIVE_INFINITY,
  outOfTimeMs: Number.POSITIVE_INFINITY,
  timeoutMs: 3_600_000,
};
const CONNECTIONS = 64;

const options = optionsOf(process.argv.slice(2), [...WORKLOADS.keys()]);
await makeReady('scripts/processes');
installPeers(say);

const started = performance.now();
// Not the system's folder for temporary files: it may be memory, where a sync costs nothing.
mkdirSync(join(root, 'data'), { recursive: true });
const folder = mkdtempSync(join(root, 'data/bench-'));
process.on('exit', () => {
  killAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

const plan = options.quick ? QUICK : FULL;
setTimeout(() => {
  say(`The benchmark did not end within ${plan.timeoutMs / 60_000} minutes and is stopped.`);
  process.exit(1);
}, plan.timeoutMs).unref();

const identity = await startIdentityProvider();
/** @type {Bench} */
const bench = {
  ...plan,
  quick: options.quick,
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
  hasFastify: hasPeerPackage('better-sqlite3'),
  hasTracer: await canTrace(),
  isOutOfTime: () => performance.now() - started > plan.outOfTimeMs,
  load: loadGenerator(folder),
  say: (text) =>
    say(`${String(Math.round((performance.now() - started) / 1000)).padStart(4)} s  ${text}`),
};
const notes = [
  ...(options.quick
    ? ['A quick run is too short for the compiler to settle: it understates ours.']
    : []),
  ...(bench.hasFastify
    ? []
    : ['The Fastify peer is missing: better-sqlite3 could not be installed.']),
];

const machine = machineText(bench);
for (const text of machine) bench.say(text);

/** @type {Line[]} */
const lines = [];
for (const name of options.workloads) {
  if (performance.now() - started > plan.beginMs) {
    notes.push(`Out of time, not measured: ${name}.`);
    continue;
  }
  const measure = WORKLOADS.get(name);
  try {
    lines.push(...((await measure?.(bench)) ?? []));
  } catch (error) {
    // The figures may still be read, but this run is not a good one.
    notes.push(`FAILED: ${name}. ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
    killAll(identity.process);
  }
}
await identity.process.stop();

const missed = lines.filter((line) => isReached(line) === false).length;
const report = [
  ...machine,
  '',
  tableOf(lines),
  '',
  ...notes,
  `${lines.filter((line) => line.goal).length - missed} goals reached, ${missed} missed, in ${Math.round((performance.now() - started) / 1000)} s.`,
];
process.stdout.write(`${report.join('\n')}\n`);
const summary = {
  machine,
  lines: lines.map((line) => ({ ...line, reached: isReached(line) })),
  notes,
};
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify(summary, null, 2)}\n`);

function say(/** @type {string} */ text) {
  process.stderr.write(`${text}\n`);
}

// `npm run trust`: every fault that we know how to make, and what was lost by it.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeReady, root } from '../../scripts/setup.js';
import { TRIALS } from './trials.js';

/** @import { Finding } from './trial.js' */

const { names, quick } = optionsOf(process.argv.slice(2));
await makeReady();

const started = performance.now();
// Not the system's folder for temporary files: it may be memory, where a sync means nothing.
mkdirSync(join(root, 'data'), { recursive: true });
const folder = mkdtempSync(join(root, 'data/trust-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

const counts = { holds: 0, FAILS: 0, 'not tried': 0 };
for (const name of names) {
  const own = join(folder, name);
  mkdirSync(own);
  for (const finding of await findingsOf(name, own)) report(name, finding);
  rmSync(own, { recursive: true, force: true, maxRetries: 10 });
}
process.stdout.write(
  `${counts.holds} hold, ${counts.FAILS} fail, ${counts['not tried']} not tried, in ${seconds()} s.\n`,
);
process.exit(counts.FAILS === 0 ? 0 : 1);

/** @returns {Promise<Finding[]>} */
async function findingsOf(/** @type {string} */ name, /** @type {string} */ own) {
  try {
    const trial = await TRIALS.get(name)?.();
    return (await trial?.({ quick, folder: own, say: (text) => say(`${name}: ${text}`) })) ?? [];
  } catch (error) {
    const found = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [{ fault: 'the trial itself', tried: 'once', found, holds: false }];
  }
}

function report(/** @type {string} */ name, /** @type {Finding} */ { fault, tried, found, holds }) {
  const verdict = holds === undefined ? 'not tried' : holds ? 'holds' : 'FAILS';
  counts[verdict]++;
  process.stdout.write(`${verdict.padEnd(9)}  ${name}: ${fault}\n           ${tried}: ${found}\n`);
}

function optionsOf(/** @type {string[]} */ args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { quick: { type: 'boolean', default: false } },
    });
    const unknown = positionals.filter((name) => !TRIALS.has(name));
    if (unknown.length > 0) throw new Error(`no such trial: ${unknown.join(', ')}`);
    return {
      quick: values.quick,
      names: positionals.length > 0 ? positionals : [...TRIALS.keys()],
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}
npm run trust -- [--quick] [${[...TRIALS.keys()].join('] [')}]
`);
    process.exit(1);
  }
}

function seconds() {
  return Math.round((performance.now() - started) / 1000);
}

function say(/** @type {string} */ text) {
  process.stderr.write(`${String(seconds()).padStart(4)} s  ${text}\n`);
}

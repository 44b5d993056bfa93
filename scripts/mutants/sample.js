// Which mutants are tried when not all are: one in N, picked by a hash of
// their place, so that two runs over the same sources try the same ones. No mutant
// is in two samples.

import { createHash } from 'node:crypto';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Keeps Stryker from trying a mutant; nothing compiles here, so no other mutant has this status. */
const LEFT_OUT = { status: 'compileError', reason: 'not in the sample' };
const TAKEN = { status: 'passed' };

/** @typedef {import('@stryker-mutator/api/core').Mutant} Mutant */

/** Stryker asks a checker about every mutant before it tries it. */
class Sample {
  async init() {}

  /** @param {Mutant[]} mutants */
  async check(mutants) {
    return Object.fromEntries(
      mutants.map((mutant) => [mutant.id, isTaken(mutant) ? TAKEN : LEFT_OUT]),
    );
  }
}

/** @param {Mutant} mutant */
function isTaken({ fileName, location: { start, end }, mutatorName, replacement }) {
  const oneIn = Number(process.env['MUTANTS_ONE_IN']);
  const sample = Number(process.env['MUTANTS_SAMPLE']);
  const file = fileName.slice(fileName.lastIndexOf('/src/'));
  const place = [file, start.line, start.column, end.line, end.column, mutatorName, replacement];
  const hash = createHash('sha256').update(JSON.stringify(place)).digest();
  return hash.readUInt32BE(0) % oneIn === sample;
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', Sample)];

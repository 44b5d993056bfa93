// Tests of mutants: the process of a backup gets an environment with a few names alone.
// It also gets the mutant that is tried, and the file that it notes mutants in.

import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { PASSED_ON } from './environment-names.js';

export function passOnToForks() {
  const { fork } = childProcess;
  const forkWithNames = (
    /** @type {string} */ file,
    /** @type {string[]} */ args,
    /** @type {import('node:child_process').ForkOptions} */ options,
  ) => {
    const passedOn = PASSED_ON.flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    );
    const env = { ...(options.env ?? process.env), ...Object.fromEntries(passedOn) };
    return fork(file, args, { ...options, env });
  };
  Object.assign(childProcess, { fork: forkWithNames });
  syncBuiltinESMExports();
}

// The environment of a program that a test starts: nothing of this machine's but the
// path of its commands, so that no setting of the developer's reaches the program.

import { PASSED_ON } from '../../scripts/mutants/environment-names.js';

/**
 * `npm run mutants -- --bundles` tells a program in this way which change of its source is
 * tried, and asks it which changes it reaches.
 */
const INHERITED = ['PATH', ...(process.env['MUTANTS_BUNDLES'] ? PASSED_ON : [])];

export function bareEnvironment(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

// The environment of a program that a test starts: nothing of this machine's but the
// path of its commands, so that no setting of the developer's reaches the program.

/**
 * `npm run mutants -- --bundles` tells a program in this way which change of its source is
 * tried, and asks it which changes it reaches.
 */
const OF_MUTANTS = ['__STRYKER_ACTIVE_MUTANT__', 'MUTANTS_SEEN', 'NODE_OPTIONS'];
const INHERITED = ['PATH', ...(process.env['MUTANTS_BUNDLES'] ? OF_MUTANTS : [])];

export function bareEnvironment(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

// The environment of a program that a test starts: nothing of this machine's but the
// path of its commands, so that no setting of the developer's reaches the program.

/** `npm run mutants` tells a program in this way which change of its source is tried. */
const INHERITED = ['PATH', '__STRYKER_ACTIVE_MUTANT__'];

export function bareEnvironment(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

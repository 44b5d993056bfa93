// The environment of a program that a test starts: nothing of this machine's but the
// path of its commands, so that no setting of the developer's reaches the program.

export function bareEnvironment(): Record<string, string> {
  const { PATH } = process.env;
  return PATH === undefined ? {} : { PATH };
}

// Mounts that only one process and its children see, for a small disk in memory.

import { spawnSync } from 'node:child_process';

const LAUNCHERS = [
  ['unshare', '--mount'],
  ['unshare', '--user', '--map-root-user', '--mount'],
];

/** The command that gives a program its own mounts; undefined if this user may not mount. */
export function privateMounts(): readonly string[] | undefined {
  return LAUNCHERS.find(
    ([command = '', ...args]) =>
      spawnSync(command, [...args, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0,
  );
}

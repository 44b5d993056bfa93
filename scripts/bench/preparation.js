// Preparation that is done once, before the measurements.

import { join } from 'node:path';
import { startProcess } from './processes.js';
import { listening, startOurs } from './targets.js';

/** @import { Target } from './targets.js' */

/** Lets the service itself make a database, and gives the file. */
export async function emptyDatabase(/** @type {string} */ folder, /** @type {Target} */ identity) {
  const file = join(folder, 'empty.db');
  const ours = await listening(startOurs({ file, identityOrigin: identity.origin }));
  await ours.process.stop();
  return file;
}

/** Whether `strace` is here and may trace. */
export async function canTrace() {
  try {
    await startProcess('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).ended();
    return true;
  } catch {
    return false;
  }
}

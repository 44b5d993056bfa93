// Preparation that is done once, before the measurements.

import { join } from 'node:path';
import { root } from '../setup.js';
import { startProcess } from './processes.js';
import { listening, startOurs } from './targets.js';

/** @import { Target } from './targets.js' */

/** Lets the service itself, or that of another checkout, make a database, and gives the file. */
export async function emptyDatabase(
  /** @type {string} */ folder,
  /** @type {Target} */ identity,
  checkout = root,
) {
  const file = join(folder, `empty-${++databases}.db`);
  const options = { file, checkout, identityOrigin: identity.origin };
  const service = await listening(startOurs(options));
  await service.process.stop();
  return file;
}

let databases = 0;

/** Whether `strace` is here and may trace. */
export async function canTrace() {
  try {
    await startProcess('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).ended();
    return true;
  } catch {
    return false;
  }
}

// A full disk that gets room again: a small file system in memory, mounted so that only
// the server sees it.

import { cpSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateMounts } from '../../support/private-mounts.js';
import { Ledger } from '../load/ledger.js';
import { randomFrom } from '../load/random.js';
import { LoadWorker } from '../load/workload.js';
import { clientOf } from '../service/requests.js';
import { startService } from '../service/service-process.js';
import { isSame, openStored, readService } from '../service/stored.js';
import type { Finding } from '../trial.js';

const DISK_BYTES = 4_000_000;
const ROUNDS = 5;
const CHANGES = 30;
/** So many failures that the disk is certainly full. */
const FAILURES_WANTED = 10;
const FULL_MAX_CHANGES = 3_000;

export async function fullDisk(options: {
  folder: string;
  identityOrigin: string;
  seed: number;
}): Promise<Finding> {
  const { folder, identityOrigin, seed } = options;
  const fault = 'a full disk (tmpfs of 4 MB) that gets room again';
  const mounts = privateMounts();
  if (mounts === undefined) {
    return { fault, tried: 'not at all', found: 'this user may not mount', holds: false };
  }
  const disk = join(folder, 'full-disk');
  mkdirSync(disk);
  const mount = `mount -t tmpfs -o size=${DISK_BYTES} tmpfs "$0" && exec "$@"`;
  const server = await startService({
    file: join(disk, 'service.db'),
    identityOrigin,
    under: [...mounts, 'sh', '-c', mount, disk],
  });
  const client = clientOf(server.origin);
  const ledger = new Ledger();
  const random = randomFrom(seed);
  const worker = new LoadWorker({ client, ledger, random, workers: 1 }, 0);
  // The path of the folder as the server sees it.
  const inside = join('/proc', String(server.pid), 'root', disk);
  let [failures, disagreements, notRecovered] = [0, 0, 0];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (let change = 0; change < CHANGES; change++) await worker.changeSomething();
      fill(join(inside, 'ballast'), inside);
      const before = ledger.outcomes.unknown;
      for (let tried = 0; tried < FULL_MAX_CHANGES; tried++) {
        if (ledger.outcomes.unknown - before >= FAILURES_WANTED) break;
        await worker.create();
      }
      failures += ledger.outcomes.unknown - before;
      rmSync(join(inside, 'ballast'));
      const unknown = ledger.outcomes.unknown;
      for (let change = 0; change < CHANGES; change++) await worker.changeSomething();
      if (ledger.outcomes.unknown > unknown || !server.isRunning()) notRecovered++;
      const copy = join(folder, 'full-disk-copy');
      cpSync(inside, copy, { recursive: true });
      const stored = await openStored(join(copy, 'service.db'));
      const seen = await readService(client);
      if (stored === undefined || !isSame(stored, seen)) disagreements++;
      rmSync(copy, { recursive: true });
    }
    const seen = await readService(client);
    const differences = ledger.compare(seen.rows, seen.events);
    const bad = differences.count + disagreements + notRecovered;
    return {
      fault,
      tried: `${ROUNDS} times, ${failures} changes refused with 500, ${ledger.outcomes.acknowledged} acknowledged (seed ${seed})`,
      found: `${differences}, ${disagreements} times memory and file differed, ${notRecovered} times no recovery without restart`,
      holds: bad === 0 && failures >= ROUNDS,
    };
  } finally {
    client.close();
    await server.end('SIGKILL');
  }
}

/** Fills the disk. */
function fill(path: string, disk: string) {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(path, Buffer.alloc(bavail * bsize));
}

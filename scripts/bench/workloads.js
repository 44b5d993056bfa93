// The rows of the benchmark by name, in the order of the table.

import { listTwenty, readOne } from './workloads/reads.js';
import { replication } from './workloads/replication.js';
import { search } from './workloads/search.js';
import { slowDisk } from './workloads/slow-disk.js';
import { startUp } from './workloads/start-up.js';
import { tenants } from './workloads/tenants.js';
import { create, mix, update } from './workloads/writes.js';

/** @import { Bench } from './bench-context.js' */
/** @import { Line } from './table.js' */

/** @type {ReadonlyMap<string, (bench: Bench) => Promise<Line[]>>} */
export const WORKLOADS = new Map([
  ['read', readOne],
  ['list', listTwenty],
  ['create', create],
  ['update', update],
  ['mix', mix],
  ['search', search],
  ['slow-disk', slowDisk],
  ['replication', replication],
  ['start', startUp],
  ['tenants', tenants],
]);

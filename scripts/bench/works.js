// The rows of the benchmark by name, in the order of the table.

import { listTwenty, readOne } from './works/reads.js';
import { search } from './works/search.js';
import { slowDisk } from './works/slow-disk.js';
import { startUp } from './works/start-up.js';
import { tenants } from './works/tenants.js';
import { create, mix, update } from './works/writes.js';

/** @import { Bench } from './bench-context.js' */
/** @import { Line } from './table.js' */

/** @type {ReadonlyMap<string, (bench: Bench) => Promise<Line[]>>} */
export const WORKS = new Map([
  ['read', readOne],
  ['list', listTwenty],
  ['create', create],
  ['update', update],
  ['mix', mix],
  ['search', search],
  ['slow-disk', slowDisk],
  ['start', startUp],
  ['tenants', tenants],
]);

// Creates large data sets by one statement in the service's own empty database, because a hundred
// thousand requests would take minutes.

import { join } from 'node:path';
import { root } from '../root.js';
import { startProcess } from './processes.js';

/** @import { Bench } from './bench.js' */

/**
 * Accounts among which records are distributed in turn.
 * @typedef {{ prefix: string, owners: number, records: number }} Accounts
 */

/**
 * @typedef {object} DataSet
 * @property {string} file
 * @property {readonly (Accounts & { first: number })[]} accounts Each with the position of its first record.
 * @property {number} payloadBytes Of all records together, as UTF-8 JSON.
 */

/** Lowercase text that every hundredth record has, and no other. */
export const ONE_PERCENT = 'segment-07';
export const NOTHING = 'nobody has this';

/** What a create sends. */
export const NEW_RECORD = JSON.stringify({
  name: 'Neema Mushi',
  phone: '+255 713 445 210',
  city: 'Dar es Salaam',
  likes: ['braids', 'twists'],
  notes: 'comes on Saturdays, prefers the morning',
});

/** What an update sends. */
export const CHANGE = JSON.stringify({ phone: '+255 754 010 203', visits: 12 });

/** Creates a database file with these accounts, as the service would have written it. */
export async function makeDataSet(
  /** @type {{ folder: string, emptyDatabase: string, checkout?: string }} */ {
    folder,
    emptyDatabase,
    checkout = root,
  },
  /** @type {string} */ name,
  /** @type {readonly Accounts[]} */ accounts,
) {
  const file = join(folder, `${name}.db`);
  const job = JSON.stringify({ emptyDatabase, file, accounts });
  const fill = join(checkout, 'scripts/bench/fill-database.js');
  const filled = JSON.parse(await startProcess(process.execPath, [fill, job]).ended());
  let first = 1;
  const placed = accounts.map((group) => {
    const positioned = { ...group, first };
    first += group.records;
    return positioned;
  });
  return /** @type {DataSet} */ ({ file, accounts: placed, payloadBytes: filled.payloadBytes });
}

/** The same records for the build that is compared with ours; undefined if none was given. */
export async function otherDataSet(
  /** @type {Pick<Bench, 'folder' | 'other'>} */ { folder, other },
  /** @type {string} */ name,
  /** @type {readonly Accounts[]} */ accounts,
) {
  return other && makeDataSet({ folder, ...other }, `${name}-other`, accounts);
}

/** Up to `count` records of a group of accounts, spread evenly: over the accounts first. */
export function sampleOf(
  /** @type {DataSet} */ { accounts },
  /** @type {string} */ prefix,
  /** @type {number} */ count,
) {
  const group = accounts.find((candidate) => candidate.prefix === prefix);
  if (group === undefined)
    throw new Error(`the data set has no group of accounts with the prefix ${prefix}`);
  const size = Math.min(count, group.records);
  return Array.from({ length: size }, (_, index) => {
    const owner = Math.floor((index * group.owners) / Math.min(size, group.owners)) % group.owners;
    const row = Math.floor((index * group.records) / group.owners / size);
    const position = group.first + row * group.owners + owner;
    return { owner: `${prefix}-${owner}`, id: idOf(position) };
  });
}

function idOf(/** @type {number} */ position) {
  return `CUS-${String(position).padStart(4, '0')}`;
}

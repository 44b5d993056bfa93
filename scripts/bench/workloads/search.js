// Search in 100,000 records, one search at a time.

import { makeDataSet, NOTHING, ONE_PERCENT } from '../data-set.js';
import { interleave } from '../rounds.js';
import { loadLines } from '../table.js';
import { listening, otherBuild, startOurs, withTargets } from '../targets.js';

/** @import { Bench } from '../bench.js' */
/** @import { Target } from '../targets.js' */

const RECORDS = 100_000;
const ACCOUNTS = [{ prefix: 'searched', owners: 1, records: RECORDS }];
const TOKEN = 'searched-0';
const SEARCHES = [
  { workload: 'search 100 000, nothing', needle: NOTHING, matches: 0 },
  { workload: 'search 100 000, 1 %', needle: ONE_PERCENT, matches: RECORDS / 100 },
];

export function search(/** @type {Bench} */ bench) {
  return withTargets(async (use) => {
    const { file } = await makeDataSet(bench, 'search', ACCOUNTS);
    const identityOrigin = bench.identity.origin;
    const ours = await use(listening(startOurs({ file, identityOrigin })));
    const others = await otherBuild(bench, use, 'search', ACCOUNTS, []);
    const lines = [];
    for (const { workload, needle, matches } of SEARCHES) {
      const path = `/api/v1/customers?q=${encodeURIComponent(needle)}`;
      await expectMatches(ours, path, matches);
      const requests = [{ method: /** @type {const} */ ('GET'), path, token: TOKEN }];
      const contenders = [{ name: 'ours', target: ours }, ...others];
      const measured = await interleave(
        { ...bench, connections: 1 },
        workload,
        contenders.map((contender) => ({ ...contender, requests })),
      );
      lines.push(...loadLines(workload, measured));
    }
    return lines;
  });
}

async function expectMatches(
  /** @type {Target} */ { origin },
  /** @type {string} */ path,
  /** @type {number} */ matches,
) {
  const response = await fetch(origin + path, { headers: { Authorization: `Bearer ${TOKEN}` } });
  const { meta } = /** @type {{ meta: { pagination: { total: number } } }} */ (
    await response.json()
  );
  if (meta.pagination.total !== matches)
    throw new Error(`${path} finds ${meta.pagination.total} records, not ${matches}`);
}

// Compares a file with the service that it was made from, as that service is now. The operator's
// console and an import go past the proxy that refuses users' changes; what they write after the
// backup would stay behind without a word.

import type { FileAccounts } from '../../storage/move/file-accounts.js';
import type { Service } from '../data/service.js';
import { several } from '../data/several.js';
import { recordsOf, subjectsOf } from '../data/walk.js';

const ACCOUNTS_AT_ONCE = 4;

/** Accounts, in order, whose records in the running service are not those of the file. `account`: undefined for all. */
export async function differingAccounts(
  file: FileAccounts,
  account: string | undefined,
  service: Service,
): Promise<string[]> {
  await service.reach();
  const owners =
    account === undefined ? new Set([...file.owners, ...(await subjectsOf(service))]) : [account];
  const differing: string[] = [];
  await several([...owners], ACCOUNTS_AT_ONCE, async (owner) => {
    if (!(await isSame(file, owner, service))) differing.push(owner);
  });
  return differing.sort();
}

async function isSame(file: FileAccounts, owner: string, service: Service): Promise<boolean> {
  const inFile = new Map<string, string>();
  for (const rows of file.pieces(owner)) {
    for (const [collection, id, body] of rows) inFile.set(`${collection} ${id}`, compact(body));
  }
  for await (const [collection, record] of recordsOf(service, owner, 'compare')) {
    const name = `${collection} ${record.id}`;
    if (inFile.get(name) !== JSON.stringify(record)) return false;
    inFile.delete(name);
  }
  return inFile.size === 0;
}

/** As the client's JSON.parse gives it: spacing and the form of numbers are no difference. */
function compact(body: string): string {
  return JSON.stringify(JSON.parse(body));
}

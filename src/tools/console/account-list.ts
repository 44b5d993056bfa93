// The accounts with their business names, which the service's list doesn't have.

import type { AccountSummary } from '../../operator-client.js';
import { several } from '../data/several.js';
import type { ConsoleService } from './service.js';

export interface NamedAccount extends AccountSummary {
  /** Of the newest business profile that has one; empty if none has. */
  readonly name: string;
}

const REQUESTS_AT_ONCE = 8;
/** Profiles of an account that are looked at for a name. */
const PROFILES_MAX = 5;

export async function named(
  service: Pick<ConsoleService, 'records'>,
  accounts: readonly AccountSummary[],
): Promise<NamedAccount[]> {
  const names = new Map<string, string>();
  const withProfiles = accounts.filter(({ resources }) => resources.businesses > 0);
  await several(withProfiles, REQUESTS_AT_ONCE, async ({ owner_sub }) => {
    const profiles = service.records(owner_sub, 'businesses');
    // A list is shown without the names that can't be read.
    const found = await profiles.list({ page_size: PROFILES_MAX }).catch(() => undefined);
    const texts = found?.items.map((profile) =>
      Object.hasOwn(profile, 'businessName') ? profile['businessName'] : '',
    );
    const name = texts?.find((text) => typeof text === 'string' && /\S/.test(text));
    names.set(owner_sub, String(name ?? ''));
  });
  return accounts.map((account) => ({ ...account, name: names.get(account.owner_sub) ?? '' }));
}

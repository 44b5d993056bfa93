// The list of accounts with their business names, in the order that was asked for. The
// service lists accounts by subject and without names, so the console asks for the names
// of the accounts that it shows, and sorts a list that is not too long by itself.

import { allRows } from '../../clients/client/pages.js';
import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import type { AccountSummary, Page } from '../../operator-client.js';
import { several } from '../data/several.js';
import type { ConsoleService } from './service.js';

export const SORTS = ['subject', 'name', 'records', ...COLLECTION_NAMES] as const;
export type Sort = 'subject' | 'name' | 'records' | CollectionName;

export interface ListedAccount extends AccountSummary {
  /** Of the newest business profile that has one; empty: none has. */
  readonly name: string;
}

export interface AccountList extends Page<ListedAccount> {
  /** Another one than was asked for where there are too many accounts. */
  readonly sort: Sort;
}

export interface AccountQuery {
  readonly q: string;
  readonly sort: Sort;
  readonly page: number;
}

/** Beyond this many accounts the service's own order stays: by subject. */
export const SORTED_MAX = 1_000;
const ACCOUNTS_A_PAGE = 50;
/** The service's longest page. */
const ACCOUNTS_A_REQUEST = 200;
const REQUESTS_AT_ONCE = 8;
/** Profiles of an account that are looked at for a name. */
const PROFILES_MAX = 5;
const NAME_KEPT_MS = 60_000;
const NAMES_KEPT_MAX = 5_000;

interface KeptName {
  readonly name: string;
  readonly until: number;
}

export class Accounts {
  readonly #service: Pick<ConsoleService, 'client' | 'records'>;
  readonly #clock: () => number;
  readonly #names = new Map<string, KeptName>();

  /** `clock`: milliseconds; a name is asked for again after a minute. */
  constructor(service: Pick<ConsoleService, 'client' | 'records'>, clock: () => number) {
    this.#service = service;
    this.#clock = clock;
  }

  async list({ q, sort, page }: AccountQuery): Promise<AccountList> {
    const { accounts } = this.#service.client;
    if (sort !== 'subject') {
      const sorted = await this.#sorted(q, sort);
      if (sorted !== undefined) {
        const total = sorted.length;
        const start = (page - 1) * ACCOUNTS_A_PAGE;
        const items = await this.named(sorted.slice(start, start + ACCOUNTS_A_PAGE));
        const total_pages = Math.ceil(total / ACCOUNTS_A_PAGE);
        const pagination = { page, page_size: ACCOUNTS_A_PAGE, total, total_pages };
        return { items, pagination, sort };
      }
    }
    const found = await accounts.list({ q, page, page_size: ACCOUNTS_A_PAGE });
    return { ...found, items: await this.named(found.items), sort: 'subject' };
  }

  /** The accounts with their names. */
  async named(accounts: readonly AccountSummary[]): Promise<ListedAccount[]> {
    const names = new Map<string, string>();
    await several(accounts, REQUESTS_AT_ONCE, async (account) => {
      names.set(account.owner_sub, await this.#nameOf(account));
    });
    return accounts.map((account) => ({ ...account, name: names.get(account.owner_sub) ?? '' }));
  }

  /** Undefined where there are too many to sort. */
  async #sorted(q: string, sort: Sort): Promise<readonly AccountSummary[] | undefined> {
    const { accounts } = this.#service.client;
    const query = { q, page_size: ACCOUNTS_A_REQUEST };
    const first = await accounts.list(query);
    if (first.pagination.total > SORTED_MAX) return undefined;
    const rows: AccountSummary[] = [];
    const read = async (page: number) => (page === 1 ? first : accounts.list({ ...query, page }));
    for await (const row of allRows(read, ({ owner_sub }) => owner_sub)) rows.push(row);
    if (sort === 'name') return (await this.named(rows)).sort(byName);
    const count = ({ record_count, resources }: AccountSummary) =>
      sort === 'records' || sort === 'subject' ? record_count : resources[sort];
    return rows.sort((a, b) => count(b) - count(a));
  }

  async #nameOf({ owner_sub, resources }: AccountSummary): Promise<string> {
    if (resources.businesses === 0) return '';
    const kept = this.#names.get(owner_sub);
    if (kept !== undefined && kept.until > this.#clock()) return kept.name;
    const name = await this.#askName(owner_sub);
    if (name === undefined) return '';
    if (this.#names.size >= NAMES_KEPT_MAX) this.#names.clear();
    this.#names.set(owner_sub, { name, until: this.#clock() + NAME_KEPT_MS });
    return name;
  }

  /** A profile that cannot be read leaves the account without a name: the list is shown all the same. */
  async #askName(account: string): Promise<string | undefined> {
    const profiles = this.#service.records(account, 'businesses');
    const found = await profiles.list({ page_size: PROFILES_MAX }).catch(() => undefined);
    if (found === undefined) return undefined;
    for (const profile of found.items) {
      const name = Object.hasOwn(profile, 'businessName') ? profile['businessName'] : undefined;
      if (typeof name === 'string' && name.trim() !== '') return name;
    }
    return '';
  }
}

/** Accounts without a name come last. */
function byName(a: ListedAccount, b: ListedAccount): number {
  if ((a.name === '') !== (b.name === '')) return a.name === '' ? 1 : -1;
  return a.name.localeCompare(b.name, 'en') || a.owner_sub.localeCompare(b.owner_sub, 'en');
}

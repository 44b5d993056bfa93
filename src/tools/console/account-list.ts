// The accounts with their business names, in order. The service lists them by subject and without
// names, so the console asks for the names, and sorts a list that is not too long.

import { allRows } from '../../clients/client/pages.js';
import type { AccountSummary, Page } from '../../operator-client.js';
import { several } from '../data/several.js';
import type { ConsoleService } from './service.js';

export interface ListedAccount extends AccountSummary {
  /** Of the newest business profile that has one; empty if none has. */
  readonly name: string;
}

export interface AccountList extends Page<ListedAccount> {
  /** By name; otherwise there are too many, and they are by subject. */
  readonly isSorted: boolean;
}

/** Longer lists stay in the service's own order. */
export const SORTED_MAX = 1_000;
const ACCOUNTS_A_PAGE = 50;
const ACCOUNTS_A_REQUEST = 200;
const REQUESTS_AT_ONCE = 8;
/** Profiles of an account that are looked at for a name. */
const PROFILES_MAX = 5;
const NAME_KEPT_MS = 60_000;
const NAMES_KEPT_MAX = 5_000;

export class Accounts {
  readonly #service: Pick<ConsoleService, 'client' | 'records'>;
  readonly #clock: () => number;
  readonly #names = new Map<string, { readonly name: string; readonly until: number }>();

  /** `clock`: milliseconds. */
  constructor(service: Pick<ConsoleService, 'client' | 'records'>, clock: () => number) {
    this.#service = service;
    this.#clock = clock;
  }

  async list(q: string, page: number): Promise<AccountList> {
    const sorted = await this.#sorted(q);
    if (sorted === undefined) {
      const query = { q, page, page_size: ACCOUNTS_A_PAGE };
      const { items, pagination } = await this.#service.client.accounts.list(query);
      return { items: await this.named(items), pagination, isSorted: false };
    }
    const total = sorted.length;
    const start = (page - 1) * ACCOUNTS_A_PAGE;
    const items = sorted.slice(start, start + ACCOUNTS_A_PAGE);
    const total_pages = Math.ceil(total / ACCOUNTS_A_PAGE);
    const pagination = { page, page_size: ACCOUNTS_A_PAGE, total, total_pages };
    return { items, pagination, isSorted: true };
  }

  async named(accounts: readonly AccountSummary[]): Promise<ListedAccount[]> {
    const names = new Map<string, string>();
    await several(accounts, REQUESTS_AT_ONCE, async (account) => {
      names.set(account.owner_sub, await this.#nameOf(account));
    });
    return accounts.map((account) => ({ ...account, name: names.get(account.owner_sub) ?? '' }));
  }

  /** Undefined if there are too many. */
  async #sorted(q: string): Promise<ListedAccount[] | undefined> {
    const { accounts } = this.#service.client;
    const query = { q, page_size: ACCOUNTS_A_REQUEST };
    const first = await accounts.list(query);
    if (first.pagination.total > SORTED_MAX) return undefined;
    const rows: AccountSummary[] = [];
    const read = async (page: number) => (page === 1 ? first : accounts.list({ ...query, page }));
    for await (const row of allRows(read, ({ owner_sub }) => owner_sub)) rows.push(row);
    return (await this.named(rows)).sort(byName);
  }

  async #nameOf({ owner_sub, resources }: AccountSummary): Promise<string> {
    if (resources.businesses === 0) return '';
    const kept = this.#names.get(owner_sub);
    if (kept !== undefined && kept.until > this.#clock()) return kept.name;
    const profiles = this.#service.records(owner_sub, 'businesses');
    const found = await profiles.list({ page_size: PROFILES_MAX }).catch(() => undefined);
    // A list is shown without the names that can't be read.
    if (found === undefined) return '';
    const names = found.items.map((profile) =>
      Object.hasOwn(profile, 'businessName') ? profile['businessName'] : undefined,
    );
    const name = names.find((text): text is string => typeof text === 'string' && /\S/.test(text));
    if (this.#names.size >= NAMES_KEPT_MAX) this.#names.clear();
    this.#names.set(owner_sub, { name: name ?? '', until: this.#clock() + NAME_KEPT_MS });
    return name ?? '';
  }
}

/** Accounts without a name come last. */
function byName(a: ListedAccount, b: ListedAccount): number {
  if ((a.name === '') !== (b.name === '')) return a.name === '' ? 1 : -1;
  return a.name.localeCompare(b.name, 'en') || a.owner_sub.localeCompare(b.owner_sub, 'en');
}

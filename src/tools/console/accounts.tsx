// The list of accounts, and the search for records of any account by telephone number or id.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { AccountSummary } from '../../operator-client.js';
import { mapConcurrent } from '../data/map-concurrent.js';
import { counted, cut } from './formats.js';
import { Frame, Pages, page, Search, Table, type View } from './layout.js';
import type { App, ConsoleParts } from './parts.js';
import { accountPath, PATHS, wholeNumber, withQuery } from './paths.js';
import { HEADINGS, nameOf, valueAt } from './properties.js';
import { type FoundRecords, findRecords, phoneIn, type Wanted, wantedBy } from './record-search.js';
import type { ConsoleService } from './service.js';

const ACCOUNTS_A_PAGE = 50;
const REQUESTS_AT_ONCE = 8;
/** How many profiles of an account are searched for a name. */
const PROFILES_MAX = 5;
/** How long a page searches before it says how far it got. */
const FIND_MAX_MS = 5_000;
const FOUND_MAX = 20;
const NOTHING =
  'No match. Try a shorter part of the name or subject, a telephone number, or a record’s id.';

export function registerAccounts(app: App, parts: ConsoleParts): void {
  const { service, formats } = parts;
  app.get(PATHS.accounts, async (context) => {
    const view = context.get('view');
    const q = context.req.query('q') ?? '';
    const number = wholeNumber(context.req.query('page')) ?? 1;
    const query = { q, page: number, page_size: ACCOUNTS_A_PAGE };
    const [{ items, pagination }, records] = await Promise.all([
      service.client.accounts.list(query),
      recordsFound(parts, q, wholeNumber(context.req.query('from'))),
    ]);
    const { total } = pagination;
    const text = (
      <Frame view={view} title="Accounts" current="accounts">
        <h1>Accounts</h1>
        <Search path={PATHS.accounts} q={q} label="Find an account" />
        {records && <Records view={view} q={q} records={records} />}
        <p class="caption">
          {counted(formats.number(total), 'account') + (q === '' ? '' : ` with “${q}”`)}
        </p>
        <Table
          label="Accounts and their records"
          columns={['Business', 'Subject', 'Records', ...COLLECTION_NAMES.map((n) => HEADINGS[n])]}
          numbers={1 + COLLECTION_NAMES.length}
          rows={(await named(service, items)).map(
            ({ owner_sub, name, record_count, resources }) => [
              <a href={accountPath(owner_sub)}>{cut(name || owner_sub)}</a>,
              cut(owner_sub),
              ...[record_count, ...COLLECTION_NAMES.map((each) => resources[each])].map((count) =>
                count === 0 ? '' : formats.number(count),
              ),
            ],
          )}
        />
        {total === 0 && records === undefined && <p class="empty">{NOTHING}</p>}
        <Pages path={PATHS.accounts} query={{ q }} pagination={pagination} />
      </Frame>
    );
    return context.html(page(text));
  });
}

/** Adds each account's business name, which the service's list lacks: that of the newest profile with one, or an empty text. */
async function named(service: ConsoleService, accounts: readonly AccountSummary[]) {
  const names = new Map<string, string>();
  const withProfiles = accounts.filter(({ resources }) => resources.businesses > 0);
  await mapConcurrent(withProfiles, REQUESTS_AT_ONCE, async ({ owner_sub }) => {
    const profiles = service.records(owner_sub, 'businesses');
    // Names that can't be read are left out.
    const found = await profiles.list({ page_size: PROFILES_MAX }).catch(() => undefined);
    const texts = found?.items.map((profile) => valueAt(profile, 'businessName'));
    const name = texts?.find((text) => typeof text === 'string' && /\S/.test(text));
    names.set(owner_sub, String(name ?? ''));
  });
  return accounts.map((account) => ({ ...account, name: names.get(account.owner_sub) ?? '' }));
}

interface RecordsFound extends FoundRecords {
  readonly wanted: Wanted;
  /** Business names by subject. */
  readonly names: ReadonlyMap<string, string>;
}

/** Undefined if the text is neither an id nor a telephone number. */
async function recordsFound(
  { service, clock }: ConsoleParts,
  q: string,
  from: number | undefined,
): Promise<RecordsFound | undefined> {
  const wanted = wantedBy(q);
  if (wanted === undefined) return undefined;
  const bounds = { maxMs: FIND_MAX_MS, foundMax: FOUND_MAX, clock };
  const result = await findRecords(service, wanted, bounds, from);
  const owners = new Map(result.found.map(({ account }) => [account.owner_sub, account]));
  const accounts = await named(service, [...owners.values()]);
  return {
    ...result,
    wanted,
    names: new Map(accounts.map((found) => [found.owner_sub, found.name])),
  };
}

function Records({ view, q, records }: { view: View; q: string; records: RecordsFound }) {
  const { wanted, names, found, looked, total, next } = records;
  const what = wanted.by === 'id' ? `the id ${wanted.id}` : 'this telephone number';
  const { number } = view.formats;
  return (
    <section>
      <h2>Records</h2>
      <p class="caption">
        {`${counted(number(found.length), 'record')} with ${what}; ${next === undefined ? 'all' : `${number(looked)} of ${number(total)}`} accounts were searched. `}
        {next && <a href={withQuery(PATHS.accounts, { q, from: next })}>Search the rest</a>}
      </p>
      <Table
        label="Records that were found"
        columns={['Id', 'Name', 'Collection', 'Phone', 'Account']}
        rows={found.map(({ account: { owner_sub }, collection, record }) => [
          <a href={accountPath(owner_sub, collection, record.id)}>{record.id}</a>,
          cut(nameOf(record)),
          HEADINGS[collection],
          wanted.by === 'phone' ? cut(phoneIn(record, wanted.digits) ?? '') : '',
          <a href={accountPath(owner_sub)}>{cut(names.get(owner_sub) || owner_sub)}</a>,
        ])}
      />
    </section>
  );
}

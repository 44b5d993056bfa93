// The list of accounts, and records of any account that a telephone number or an id finds.

import { COLLECTION_NAMES, type CollectionName } from '../../core/domain/collection-name.js';
import type { AccountList } from './account-list.js';
import { counted, cut } from './formats.js';
import { Frame, Pages, page, Search, Table, type View } from './layout.js';
import type { App, ConsoleParts } from './parts.js';
import { accountPath, PATHS, wholeNumber, withQuery } from './paths.js';
import { HEADINGS, nameOf } from './properties.js';
import { type FoundRecords, findRecords, phoneIn, type Wanted, wantedBy } from './record-search.js';

/** A reader waits this long for records; then the page says how far it came. */
const FIND_MAX_MS = 5_000;
const FOUND_MAX = 20;
const QUERY_MAX_CHARACTERS = 200;

interface RecordsFound {
  readonly wanted: Wanted;
  readonly result: FoundRecords;
  /** Business names by subject. */
  readonly names: ReadonlyMap<string, string>;
}

export function registerAccounts(app: App, parts: ConsoleParts): void {
  app.get(PATHS.accounts, async (context) => {
    const q = (context.req.query('q') ?? '').slice(0, QUERY_MAX_CHARACTERS);
    const number = wholeNumber(context.req.query('page')) ?? 1;
    const [list, records] = await Promise.all([
      parts.accounts.list(q, number),
      recordsFound(parts, q, wholeNumber(context.req.query('from'))),
    ]);
    const view = context.get('view');
    return context.html(page(<AccountsPage {...{ view, q, list, records }} />));
  });
}

/** Undefined if the text is neither an id nor a telephone number. */
async function recordsFound(
  { service, accounts, clock }: ConsoleParts,
  q: string,
  from: number | undefined,
): Promise<RecordsFound | undefined> {
  const wanted = wantedBy(q);
  if (wanted === undefined) return undefined;
  const bounds = { maxMs: FIND_MAX_MS, foundMax: FOUND_MAX, clock };
  const result = await findRecords(service, wanted, bounds, from);
  const owners = new Map(result.found.map(({ account }) => [account.owner_sub, account]));
  const named = await accounts.named([...owners.values()]);
  return { wanted, result, names: new Map(named.map((found) => [found.owner_sub, found.name])) };
}

interface AccountsProps {
  readonly view: View;
  readonly q: string;
  readonly list: AccountList;
  readonly records: RecordsFound | undefined;
}

function AccountsPage({ view, q, list, records }: AccountsProps) {
  const { items, pagination, isSorted } = list;
  const total = counted(view.formats.number(pagination.total), 'account');
  return (
    <Frame view={view} title="Accounts" current="accounts">
      <h1>Accounts</h1>
      <Search
        path={PATHS.accounts}
        q={q}
        label="Accounts"
        hint="Name, subject, phone or record id"
      />
      {records && <Records view={view} q={q} records={records} />}
      <p class="caption">
        {`${total}${q === '' ? '' : ` with “${q}”`}, by ${isSorted ? 'name' : 'subject'}.`}
      </p>
      {items.length > 0 && (
        <Table
          label="Accounts and their records"
          columns={['Business', 'Subject', 'Records', ...COLLECTION_NAMES.map(headingOf)]}
          numbers={1 + COLLECTION_NAMES.length}
          rows={items.map(({ owner_sub, name, record_count, resources }) => [
            <AccountLink subject={owner_sub} name={name} />,
            cut(owner_sub),
            ...[record_count, ...COLLECTION_NAMES.map((each) => resources[each])].map((count) =>
              count === 0 ? '' : view.formats.number(count),
            ),
          ])}
        />
      )}
      {pagination.total === 0 && records === undefined && (
        <p class="empty">
          {q === ''
            ? 'An account appears here with its first record.'
            : 'Try a shorter part of the name or subject, a telephone number, or a record’s id.'}
        </p>
      )}
      <Pages path={PATHS.accounts} query={{ q }} pagination={pagination} />
    </Frame>
  );
}

function headingOf(collection: CollectionName): string {
  return HEADINGS[collection];
}

function AccountLink({ subject, name }: { readonly subject: string; readonly name?: string }) {
  return <a href={accountPath(subject)}>{cut(name || subject)}</a>;
}

interface RecordsProps extends Pick<AccountsProps, 'view' | 'q'> {
  readonly records: RecordsFound;
}

function Records({ view, q, records: { wanted, result, names } }: RecordsProps) {
  const { found, looked, total, next } = result;
  const what = wanted.by === 'id' ? `the id ${wanted.id}` : 'this telephone number';
  const [count, seen, all] = [found.length, looked, total].map(view.formats.number);
  return (
    <section>
      <h2>Records</h2>
      <p class="caption">
        {`${count} with ${what}; ${next === undefined ? 'all' : `${seen} of ${all}`} accounts were searched. `}
        {next !== undefined && (
          <a href={withQuery(PATHS.accounts, { q, from: next })}>Search the rest</a>
        )}
      </p>
      {found.length > 0 && (
        <Table
          label="Records that were found"
          columns={['Id', 'Name', 'Collection', 'Phone', 'Account']}
          rows={found.map(({ account: { owner_sub }, collection, record }) => {
            const digits = wanted.by === 'phone' ? wanted.digits : '';
            const phone = phoneIn(record, digits) ?? '';
            return [
              <a href={accountPath(owner_sub, collection, record.id)}>{record.id}</a>,
              cut(nameOf(record)),
              HEADINGS[collection],
              digits === '' ? '' : cut(phone),
              <AccountLink subject={owner_sub} name={names.get(owner_sub) ?? ''} />,
            ];
          })}
        />
      )}
    </section>
  );
}

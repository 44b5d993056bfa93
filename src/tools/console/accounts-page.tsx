// The list of accounts, with their business names; and records of any account that a
// telephone number or an id finds.

import {
  byCollection,
  COLLECTION_NAMES,
  type CollectionName,
} from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import { type AccountList, type ListedAccount, SORTED_MAX, type Sort } from './account-list.js';
import { cut } from './formats.js';
import { Frame, Head, Pages, Scroll, Search, Value, type View } from './layout.js';
import { accountPath, PATHS, withQuery } from './paths.js';
import { nameOf } from './properties.js';
import { type FoundRecord, type FoundRecords, phoneIn, type Wanted } from './record-search.js';

const SORT_LABELS: Readonly<Record<Sort, string>> = {
  name: 'Business',
  subject: 'Subject',
  records: 'Records',
  ...byCollection((name) => COLLECTIONS[name].names.heading),
};
/** On a phone the columns have no heads to press. */
const NARROW_SORTS = ['name', 'subject', 'records', 'orders', 'customers'] as const;

export interface AccountsProps {
  readonly view: View;
  readonly q: string;
  /** As it was asked for. */
  readonly sort: Sort;
  readonly list: AccountList;
  /** Undefined where the text is neither an id nor a telephone number. */
  readonly records: RecordsFound | undefined;
}

export interface RecordsFound {
  readonly wanted: Wanted;
  readonly result: FoundRecords;
  /** Business names by subject. */
  readonly names: ReadonlyMap<string, string>;
}

export function AccountsPage({ view, q, sort, list, records }: AccountsProps) {
  const { items, pagination } = list;
  const total = view.formats.number(pagination.total);
  const noun = pagination.total === 1 ? 'account' : 'accounts';
  return (
    <Frame view={view} title="Accounts" current="accounts">
      <h1>Accounts</h1>
      <Search
        path={PATHS.accounts}
        q={q}
        label="Accounts"
        hint="Subject, business, phone or record id"
        more={{ sort: sort === 'subject' ? undefined : sort }}
      />
      {records && <Records view={view} q={q} records={records} />}
      <p class="count">{q === '' ? `${total} ${noun}` : `${total} ${noun} with “${q}”`}</p>
      {pagination.total === 0 && records === undefined && (
        <p class="empty">
          {q === ''
            ? 'No account has a record yet. An account appears here with its first record.'
            : 'No account has this text in its subject or profiles. Try a shorter part, a telephone number or the id of a record.'}
        </p>
      )}
      {sort !== list.sort && (
        <p class="caption">
          {`These are sorted by subject: only up to ${view.formats.number(SORTED_MAX)} accounts can be sorted otherwise. Search for fewer.`}
        </p>
      )}
      {items.length > 0 && <AccountTable view={view} q={q} list={list} />}
      <Pages
        view={view}
        path={PATHS.accounts}
        query={{ q, sort: sort === 'subject' ? undefined : sort }}
        pagination={pagination}
      />
    </Frame>
  );
}

function AccountTable({ view, q, list }: { view: View; q: string; list: AccountList }) {
  return (
    <>
      <p class="caption narrow">
        Sorted by{' '}
        {NARROW_SORTS.map((sort) => (
          <SortLink q={q} sort={sort} current={list.sort} />
        ))}
      </p>
      <Scroll label="Accounts and their records">
        <table class="stack compact">
          <thead>
            <tr>
              <SortHead q={q} sort="name" current={list.sort} />
              <SortHead q={q} sort="subject" current={list.sort} />
              <SortHead q={q} sort="records" current={list.sort} isNumber />
              {COLLECTION_NAMES.map((name) => (
                <SortHead q={q} sort={name} current={list.sort} isNumber />
              ))}
            </tr>
          </thead>
          <tbody>
            {list.items.map((account) => (
              <AccountRow view={view} account={account} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

function AccountRow({ view, account }: { view: View; account: ListedAccount }) {
  const { owner_sub, name, record_count, resources } = account;
  const count = (value: number, label: string) => (
    <td class={value === 0 ? 'number none' : 'number'} data-label={label}>
      {view.formats.number(value)}
    </td>
  );
  return (
    <tr>
      <th scope="row">
        <a href={accountPath(owner_sub)}>
          <Value>{cut(name === '' ? owner_sub : name)}</Value>
        </a>
      </th>
      <td class="subject" data-label="Subject">
        <Value>{cut(owner_sub)}</Value>
      </td>
      {count(record_count, 'Records')}
      {COLLECTION_NAMES.map((collection: CollectionName) =>
        count(resources[collection], SORT_LABELS[collection]),
      )}
    </tr>
  );
}

interface SortProps {
  readonly q: string;
  readonly sort: Sort;
  readonly current: Sort;
}

function SortHead({ isNumber = false, ...props }: SortProps & { readonly isNumber?: boolean }) {
  const { sort, current } = props;
  const direction = sort === 'name' || sort === 'subject' ? 'ascending' : 'descending';
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={sort === current ? direction : undefined}
    >
      <SortLink {...props} />
    </th>
  );
}

function SortLink({ q, sort, current }: SortProps) {
  const path = withQuery(PATHS.accounts, { q, sort: sort === 'subject' ? undefined : sort });
  return (
    <a class="sort" href={path} aria-current={sort === current ? 'true' : undefined}>
      {SORT_LABELS[sort]}
    </a>
  );
}

function Records({ view, q, records }: { view: View; q: string; records: RecordsFound }) {
  const { wanted, result, names } = records;
  const { found, looked, total, next } = result;
  const what = wanted.by === 'id' ? `the id ${wanted.id}` : 'this telephone number';
  const [count, seen, all] = [found.length, looked, total].map(view.formats.number);
  const noun = found.length === 1 ? 'record has' : 'records have';
  return (
    <section>
      <h2>Records</h2>
      <p class="count">
        {found.length === 0 ? `No record has ${what}` : `${count} ${noun} ${what}`}
        {next === undefined
          ? `; all accounts were searched.`
          : `; ${seen} of ${all} accounts were searched, then the time was up. `}
        {next !== undefined && (
          <a href={withQuery(PATHS.accounts, { q, from: next })}>Search the others</a>
        )}
      </p>
      {found.length > 0 && (
        <Scroll label="Records that were found">
          <table class="stack">
            <Head names={['Id', 'Name', 'Collection', 'Phone', 'Account']} />
            <tbody>
              {found.map((hit) => (
                <RecordRow hit={hit} wanted={wanted} name={names.get(hit.account.owner_sub)} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}

interface RecordRowProps {
  readonly hit: FoundRecord;
  readonly wanted: Wanted;
  readonly name: string | undefined;
}

function RecordRow({ hit: { account, collection, record }, wanted, name }: RecordRowProps) {
  const subject = account.owner_sub;
  const stored = Object.hasOwn(record, 'phone') ? record['phone'] : undefined;
  const own = typeof stored === 'string' ? stored : '';
  const phone = wanted.by === 'phone' ? (phoneIn(record, wanted.digits) ?? own) : own;
  return (
    <tr>
      <th scope="row" class="id">
        <a href={accountPath(subject, collection, record.id)}>{record.id}</a>
      </th>
      <td data-label="Name">
        <Value>{cut(nameOf(record))}</Value>
      </td>
      <td data-label="Collection">{COLLECTIONS[collection].names.heading}</td>
      <td data-label="Phone" class={phone === '' ? 'none' : undefined}>
        <Value>{cut(phone)}</Value>
      </td>
      <td data-label="Account">
        <a href={accountPath(subject)}>
          <Value>{cut(name === undefined || name === '' ? subject : name)}</Value>
        </a>
      </td>
    </tr>
  );
}

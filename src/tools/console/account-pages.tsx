// An account with a tab for each of its collections.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { JsonValue } from '../../core/domain/json.js';
import { paymentOf } from '../../core/domain/payment.js';
import type { Account, Page } from '../../operator-client.js';
import type { StoredRecord } from '../data/service.js';
import { cut, shortText } from './formats.js';
import { counted, HEADINGS, SHORT_NAMES } from './labels.js';
import { Frame, Notice, Pages, Scroll, Search, Value, type View } from './layout.js';
import { accountPath, PATHS, PAYMENTS, type Tab } from './paths.js';
import { columnsOf, isAmount, isMoment, labelOf } from './properties.js';

const TABS: readonly Tab[] = [...COLLECTION_NAMES, PAYMENTS];

export interface AccountProps {
  readonly view: View;
  readonly account: Account;
  readonly tab: Tab;
  readonly q: string;
  readonly page: Page<StoredRecord>;
  /** Rows of a usual page. */
  readonly pageSize: number;
  readonly notice: string | undefined;
}

export function AccountPage(props: AccountProps) {
  const { view, account, notice } = props;
  const { formats } = view;
  const subject = account.owner_sub;
  const names = account.profiles
    .map(({ businessName }) => shortText(businessName as JsonValue))
    .filter((name) => name !== '');
  const heading = cut(names[0] ?? subject, 120);
  return (
    <Frame view={view} title={cut(subject)} current="accounts">
      <p class="crumbs">
        <a href={PATHS.accounts}>Accounts</a>
      </p>
      <div class="title">
        <h1>
          <Value>{heading}</Value>
        </h1>
        <div class="actions">
          <a class="button" href={accountPath(subject, 'export')}>
            Export the account
          </a>
          <a class="button danger" href={accountPath(subject, 'erase')}>
            Erase the account
          </a>
        </div>
      </div>
      <p class="subject">
        {heading !== subject && (
          <>
            <code>
              <Value>{cut(subject, 500)}</Value>
            </code>
            {' · '}
          </>
        )}
        <span>{counted(formats.number(account.record_count), 'record')}</span>
        {names.length > 1 && <span> · {names.slice(1, 6).join(', ')}</span>}
      </p>
      {notice !== undefined && <Notice kind="good">{notice}</Notice>}
      <nav class="tabs" aria-label="Collections">
        {TABS.map((name) => (
          <a
            href={accountPath(subject, name)}
            aria-current={name === props.tab ? 'page' : undefined}
          >
            {HEADINGS[name]}{' '}
            <span class="badge">
              {formats.number(account.resources[name === PAYMENTS ? 'orders' : name])}
            </span>
          </a>
        ))}
      </nav>
      <TabContent {...props} />
    </Frame>
  );
}

function TabContent({
  view,
  account,
  tab,
  q,
  page: { items, pagination },
  pageSize,
}: AccountProps) {
  const { formats } = view;
  const path = accountPath(account.owner_sub, tab);
  const total = formats.number(pagination.total);
  const rows = tab === PAYMENTS ? items.map((order) => ({ ...paymentOf(order) })) : items;
  return (
    <>
      <div class="title">
        <h2>{HEADINGS[tab]}</h2>
        {tab !== PAYMENTS && (
          <div class="actions">
            <a class="button" href={`${path}/export`}>
              {`Export ${HEADINGS[tab].toLowerCase()}`}
            </a>
            <a class="button main" href={`${path}/new`}>
              {`Add ${/^[aeiou]/.test(SHORT_NAMES[tab]) ? 'an' : 'a'} ${SHORT_NAMES[tab]}`}
            </a>
          </div>
        )}
      </div>
      {tab === PAYMENTS && (
        <p class="caption">Computed from the orders; nothing here can be changed.</p>
      )}
      <Search path={path} q={q} label="Search" hint="Any text of a record" />
      <p class="count">
        {q === '' ? `${total} in all` : `${total} with “${q}”`}
        {pagination.page_size < pageSize &&
          ` These records are large, so a page has fewer of them.`}
      </p>
      {pagination.total === 0 && (
        <p class="empty">
          {q === ''
            ? `This account has no ${HEADINGS[tab].toLowerCase()}.`
            : 'No record has this text. Try a shorter part.'}
        </p>
      )}
      {items.length > 0 && (
        <RecordTable view={view} account={account.owner_sub} tab={tab} rows={rows} />
      )}
      <Pages view={view} path={path} query={{ q }} pagination={pagination} />
    </>
  );
}

interface RecordTableProps {
  readonly view: View;
  readonly account: string;
  readonly tab: Tab;
  readonly rows: readonly Readonly<Record<string, JsonValue>>[];
}

function RecordTable({ view, account, tab, rows }: RecordTableProps) {
  const columns = columnsOf(tab);
  return (
    <Scroll label={HEADINGS[tab]}>
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Id</th>
            {columns.map((column) => (
              <th scope="col" class={isAmount(column) ? 'number' : undefined}>
                {labelOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <th scope="row" class="id">
                <a href={recordPath(account, tab, row)}>{shortText(row['id'])}</a>
              </th>
              {columns.map((column) => (
                <Cell view={view} row={row} column={column} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** A payment leads to its order. */
function recordPath(account: string, tab: Tab, row: RecordTableProps['rows'][number]): string {
  if (tab === PAYMENTS) return accountPath(account, 'orders', String(row['order_id']));
  return accountPath(account, tab, String(row['id']));
}

interface CellProps {
  readonly view: View;
  readonly row: Readonly<Record<string, JsonValue>>;
  readonly column: string;
}

function Cell({ view, row, column }: CellProps) {
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  if (isAmount(column) && typeof value === 'number') {
    const currency = shortText(row['currency']);
    return (
      <td class="number" data-label={labelOf(column)}>
        {currency !== '' && <small>{cut(currency, 8)} </small>}
        {view.formats.amount(value)}
        {column === 'due' && value < 0 && <small> overpaid</small>}
      </td>
    );
  }
  const text = valueText(view, column, value);
  const kind = isAmount(column) ? 'number' : undefined;
  return (
    <td class={text === '' ? 'none' : kind} data-label={labelOf(column)}>
      <Value>{text}</Value>
    </td>
  );
}

/** A value as a list or a record's page shows it. */
export function valueText(view: View, column: string, value: JsonValue | undefined): string {
  if (isMoment(column, value)) return view.formats.time(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return shortText(value);
}

/** An account without a record. */
export function UnknownAccountPage({ view, account }: { view: View; account: string }) {
  return (
    <Frame view={view} title={cut(account)} current="accounts">
      <p class="crumbs">
        <a href={PATHS.accounts}>Accounts</a>
      </p>
      <h1>
        <Value>{cut(account, 120)}</Value>
      </h1>
      <p class="empty">
        The service has no such account. It may be erased, or the subject is misspelt.
      </p>
      <p>
        <a class="button" href={PATHS.accounts}>
          Search the accounts
        </a>
      </p>
    </Frame>
  );
}

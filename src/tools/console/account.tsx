// An account, with a tab for each of its collections and one for its payments; and its export.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import { paymentOf } from '../../core/domain/payment.js';
import type { Account, Page } from '../../operator-client.js';
import type { StoredRecord } from '../data/service.js';
import { downloadHeaders, exportStream } from './export.js';
import { counted, cut, shortText } from './formats.js';
import { Frame, Notice, Pages, page, Search, Table, type View } from './layout.js';
import type { App, ConsoleParts, PageContext } from './parts.js';
import { accountPath, isTab, PAYMENTS, type Tab, wholeNumber } from './paths.js';
import { columnsOf, HEADINGS, isMoney, labelOf, shownText, valueAt } from './properties.js';
import { accountOf, Crumbs } from './record-place.js';
import { RECORDS_A_PAGE } from './service.js';

const TABS: readonly Tab[] = [...COLLECTION_NAMES, PAYMENTS];
const QUERY_MAX_CHARACTERS = 200;
const OTHER_NAMES_MAX = 5;

export function registerAccount(app: App, { service, log }: ConsoleParts): void {
  app.get('/accounts/:account', async (context) => {
    const subject = accountOf(context);
    const account = await service.account(subject);
    if (account === undefined) return unknown(context, subject);
    // The tab with the most to see.
    const tab = account.resources.orders > 0 ? 'orders' : 'customers';
    return context.redirect(accountPath(subject, tab), 303);
  });

  app.get('/accounts/:account/export', async (context) => {
    const subject = accountOf(context);
    // A service that is away is told on a page, before the download begins.
    if ((await service.account(subject)) === undefined) return unknown(context, subject);
    const stream = exportStream(service.patient, subject, (error) => {
      log.error('console_export_broken_off', error);
      context.env.outgoing.destroy();
    });
    return context.body(stream, 200, downloadHeaders(subject));
  });

  app.get('/accounts/:account/:tab', async (context, next) => {
    const subject = accountOf(context);
    const tab = context.req.param('tab');
    if (!isTab(tab)) return next();
    const q = (context.req.query('q') ?? '').slice(0, QUERY_MAX_CHARACTERS);
    const number = wholeNumber(context.req.query('page')) ?? 1;
    const [account, rows] = await Promise.all([
      service.account(subject),
      service.page(subject, tab === PAYMENTS ? 'orders' : tab, { q, page: number }),
    ]);
    if (account === undefined || rows === undefined) return unknown(context, subject);
    const isDeleted = context.req.query('done') === 'deleted';
    const props = { view: context.get('view'), account, tab, q, rows, isDeleted };
    return context.html(page(<AccountPage {...props} />));
  });
}

function unknown(context: PageContext, subject: string) {
  const text = (
    <Frame view={context.get('view')} title={cut(subject)} current="accounts">
      <Crumbs />
      <h1>
        <bdi>{cut(subject, 120)}</bdi>
      </h1>
      <p>The service has no such account. It may have been erased, or the subject is misspelled.</p>
    </Frame>
  );
  return context.html(page(text), 404);
}

interface AccountProps {
  readonly view: View;
  readonly account: Account;
  readonly tab: Tab;
  readonly q: string;
  readonly rows: Page<StoredRecord>;
  /** A record of the tab was deleted just now. */
  readonly isDeleted: boolean;
}

function AccountPage(props: AccountProps) {
  const { view, account, isDeleted } = props;
  const { formats } = view;
  const subject = account.owner_sub;
  const names = account.profiles
    .map(({ businessName }) => shortText(businessName as JsonValue))
    .filter((name) => name !== '');
  const heading = cut(names[0] ?? subject, 120);
  return (
    <Frame view={view} title={cut(subject)} current="accounts">
      <Crumbs />
      <div class="title">
        <h1>
          <bdi>{heading}</bdi>
        </h1>
        <div class="actions">
          <a class="button" href={accountPath(subject, 'export')}>
            Export
          </a>
          <a class="button danger" href={accountPath(subject, 'erase')}>
            Erase
          </a>
        </div>
      </div>
      <p class="caption">
        {heading !== subject && (
          <>
            <code>
              <bdi>{cut(subject, 500)}</bdi>
            </code>
            {' · '}
          </>
        )}
        {counted(formats.number(account.record_count), 'record')}
        {names.length > 1 && ` · ${names.slice(1, 1 + OTHER_NAMES_MAX).join(', ')}`}
      </p>
      {isDeleted && <Notice kind="good">Deleted.</Notice>}
      <nav class="tabs" aria-label="Collections">
        {TABS.map((name) => (
          <a
            href={accountPath(subject, name)}
            aria-current={name === props.tab ? 'page' : undefined}
          >
            {HEADINGS[name]}{' '}
            <small>{formats.number(account.resources[name === PAYMENTS ? 'orders' : name])}</small>
          </a>
        ))}
      </nav>
      <TabContent {...props} />
    </Frame>
  );
}

function TabContent({ view, account, tab, q, rows: { items, pagination } }: AccountProps) {
  const path = accountPath(account.owner_sub, tab);
  const total = view.formats.number(pagination.total);
  const heading = HEADINGS[tab];
  return (
    <>
      <div class="title">
        <Search path={path} q={q} label={heading} hint="Any text of a record" />
        {tab !== PAYMENTS && (
          <a class="button main" href={`${path}/new`}>
            {`Add ${COLLECTIONS[tab].names.short}`}
          </a>
        )}
      </div>
      <p class="caption">
        {q === '' ? `${total} in all.` : `${total} with “${q}”.`}
        {tab === PAYMENTS && ' Computed from the orders.'}
        {pagination.page_size < RECORDS_A_PAGE && ' Large records: fewer on a page.'}
      </p>
      {items.length > 0 && (
        <Table
          label={heading}
          columns={['Id', ...columnsOf(tab).map(labelOf)]}
          numbers={columnsOf(tab).filter(isMoney).length}
          rows={items.map((record) => cellsOf(view, account.owner_sub, tab, record))}
        />
      )}
      <Pages path={path} query={{ q }} pagination={pagination} />
    </>
  );
}

/** A payment leads to its order. */
function cellsOf({ formats }: View, account: string, tab: Tab, record: StoredRecord) {
  const row: JsonObject = tab === PAYMENTS ? { ...paymentOf(record) } : record;
  const collection = tab === PAYMENTS ? 'orders' : tab;
  const currency = valueAt(row, 'currency');
  return [
    <a href={accountPath(account, collection, record.id)}>{shortText(row['id'])}</a>,
    ...columnsOf(tab).map((column) => {
      const text = shownText(formats, column, valueAt(row, column));
      if (!isMoney(column) || typeof currency !== 'string' || text === '') return text;
      return (
        <>
          <small>{cut(currency, 8)}</small> {text}
        </>
      );
    }),
  ];
}

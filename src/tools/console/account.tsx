// An account, with a tab for each collection and one for payments; and its export.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import { paymentOf } from '../../core/domain/payment.js';
import type { StoredRecord } from '../data/service.js';
import { downloadHeaders, exportedZip } from './export.js';
import { PageError } from './failure.js';
import { counted, cut, shortText } from './formats.js';
import { Frame, Notice, Pages, page, Search, Table, type View } from './layout.js';
import type { App, ConsoleParts, PageContext } from './parts.js';
import { accountPath, PAYMENTS, type Tab, wholeNumber } from './paths.js';
import { columnsOf, HEADINGS, isMoney, labelOf, shownText, valueAt } from './properties.js';
import { accountOf, Crumbs } from './record-place.js';
import { RECORDS_A_PAGE } from './service.js';

const TABS: readonly Tab[] = [...COLLECTION_NAMES, PAYMENTS];

export function registerAccount(app: App, parts: ConsoleParts): void {
  const { service } = parts;
  app.get('/accounts/:account', async (context) => {
    const subject = accountOf(context);
    const account = await service.account(subject);
    if (account === undefined) throw unknown();
    // The tab that is most likely wanted.
    const tab = account.resources.orders > 0 ? 'orders' : 'customers';
    return context.redirect(accountPath(subject, tab), 303);
  });

  app.get('/accounts/:account/export', async (context) => {
    const subject = accountOf(context);
    // A service that is down gets a page that says so, before the download begins.
    if ((await service.account(subject)) === undefined) throw unknown();
    const zip = await exportedZip(parts.erasures.parts, subject);
    return context.body(zip, 200, downloadHeaders(subject));
  });

  app.get(`/accounts/:account/:tab{(?:${TABS.join('|')})}`, (context) =>
    showTab(parts, context, context.req.param('tab') as Tab),
  );
}

function unknown(): PageError {
  const hint = 'It may have been erased, or the subject is misspelled.';
  return new PageError(404, 'The service has no such account.', hint);
}

async function showTab({ service, formats }: ConsoleParts, context: PageContext, tab: Tab) {
  const view = context.get('view');
  const subject = accountOf(context);
  const q = context.req.query('q') ?? '';
  const number = wholeNumber(context.req.query('page')) ?? 1;
  const [account, rows] = await Promise.all([
    service.account(subject),
    service.page(subject, tab === PAYMENTS ? 'orders' : tab, { q, page: number }),
  ]);
  if (account === undefined || rows === undefined) throw unknown();
  const { items, pagination } = rows;
  const path = accountPath(subject, tab);
  const total = formats.number(pagination.total);
  const names = account.profiles.map(({ businessName }) => shortText(businessName as JsonValue));
  const text = (
    <Frame view={view} title={cut(subject)} current="accounts">
      <Crumbs />
      <div class="title">
        <h1>{cut(names.find((name) => name !== '') ?? subject, 120)}</h1>
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
        <code>{cut(subject, 500)}</code>
        {` · ${counted(formats.number(account.record_count), 'record')}`}
      </p>
      {context.req.query('done') === 'deleted' && <Notice kind="good">Deleted.</Notice>}
      <nav class="tabs" aria-label="Collections">
        {TABS.map((name) => (
          <a href={accountPath(subject, name)} aria-current={name === tab ? 'page' : undefined}>
            {`${HEADINGS[name]} `}
            <small>{formats.number(account.resources[name === PAYMENTS ? 'orders' : name])}</small>
          </a>
        ))}
      </nav>
      <div class="title">
        <Search path={path} q={q} label={`Find in ${HEADINGS[tab].toLowerCase()}`} />
        {tab !== PAYMENTS && (
          <a class="button main" href={`${path}/new`}>
            {`Add ${COLLECTIONS[tab].names.short}`}
          </a>
        )}
      </div>
      <p class="caption">
        {q === '' ? `${total} in all.` : `${total} with “${q}”.`}
        {tab === PAYMENTS && ' Computed from the orders.'}
        {pagination.page_size < RECORDS_A_PAGE && ' Large records: fewer per page.'}
      </p>
      <Table
        label={HEADINGS[tab]}
        columns={['Id', ...columnsOf(tab).map(labelOf)]}
        numbers={columnsOf(tab).filter(isMoney).length}
        rows={items.map((record) => cellsOf(view, subject, tab, record))}
      />
      <Pages path={path} query={{ q }} pagination={pagination} />
    </Frame>
  );
  return context.html(page(text));
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

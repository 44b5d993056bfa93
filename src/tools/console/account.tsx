// An account's page, with a tab for each collection and one for payments, each with a CSV download.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { JsonObject, JsonValue } from '../../core/domain/json.js';
import { paymentOf } from '../../core/domain/payment.js';
import type { Account } from '../../operator-client.js';
import { truncate } from '../data/errors.js';
import { csvHeader, csvRow } from '../data/export/csv-lines.js';
import { recordsOf, type StoredRecord } from '../data/service-client.js';
import type { App, ConsoleDeps, PageContext } from './deps.js';
import { PageError } from './error-page.js';
import { counted, numberText, shortText } from './formats.js';
import { Crumbs, Frame, Notice, Pages, Search, Table } from './layout.js';
import { accountPath, collectionOf, PAYMENTS, segmentIn, type Tab } from './paths.js';
import { columnsOf, HEADINGS, isMoney, labelOf, shownText, valueAt } from './properties.js';
import { ifFound, PAGE_SIZE } from './service-requests.js';

const TABS: readonly Tab[] = [...COLLECTION_NAMES, PAYMENTS];
const TAB_PATH = `/accounts/:account/:tab{(?:${TABS.join('|')})}`;
/** Like `export --excel`: spreadsheet programs open it, and an import of it creates the same records. */
const CSV_STYLE = { delimiter: ',', decimal: '.', isForExcel: true } as const;
const CSV_NAME_MAX_CHARACTERS = 60;
/** Bounds memory: the whole CSV is built first, because its header has the properties of every record. */
const CSV_MAX_CHARACTERS = 16 * 1_048_576;

export function registerAccount(app: App, deps: ConsoleDeps): void {
  app.get('/accounts/:account', (context) =>
    context.redirect(accountPath(segmentIn(context, 'account'), 'orders'), 303),
  );
  app.get(TAB_PATH, (context) => showTab(deps, context, context.req.param('tab') as Tab));
  app.get(`${TAB_PATH}/csv`, async (context) => {
    const [subject, tab] = [segmentIn(context, 'account'), context.req.param('tab') as Tab];
    await accountFound(deps, subject);
    const csv = await csvOf(deps, subject, tab);
    // The file name keeps only the subject's letters, digits and hyphens.
    const name = subject.replace(/[^A-Za-z0-9-]+/g, '_').slice(0, CSV_NAME_MAX_CHARACTERS);
    return context.body(csv, 200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}-${tab}.csv"`,
    });
  });
}

/** Throws a `PageError` if the account has no records. */
async function accountFound({ client }: ConsoleDeps, subject: string): Promise<Account> {
  const account = await ifFound(client.accounts.read(subject));
  if (account !== undefined) return account;
  const hint = 'It may have been erased, or the subject is misspelled.';
  throw new PageError(404, 'The service has no such account.', hint);
}

async function showTab(deps: ConsoleDeps, context: PageContext, tab: Tab) {
  const subject = segmentIn(context, 'account');
  const q = context.req.query('q') ?? '';
  const number = Number(context.req.query('page')) || 1;
  const account = await accountFound(deps, subject);
  const records = recordsOf(deps.client, subject, collectionOf(tab));
  const { items, pagination } = await records.list({ q, page: number, page_size: PAGE_SIZE });
  const path = accountPath(subject, tab);
  const names = account.profiles.map(({ businessName }) => shortText(businessName as JsonValue));
  return context.html(
    <Frame title={truncate(subject)} current="accounts">
      <Crumbs />
      <h1>
        <bdi>{truncate(names.find((name) => name !== '') ?? subject, 120)}</bdi>
      </h1>
      <p class="caption">
        <bdi>
          <code>{truncate(subject, 500)}</code>
        </bdi>
        {` · ${counted(account.record_count, 'record')}`}
      </p>
      {context.req.query('done') === 'deleted' && <Notice kind="good">Deleted.</Notice>}
      <nav class="tabs" aria-label="Collections">
        {TABS.map((name) => (
          <a href={accountPath(subject, name)} aria-current={name === tab ? 'page' : undefined}>
            {`${HEADINGS[name]} `}
            <small>{numberText(account.resources[collectionOf(name)])}</small>
          </a>
        ))}
      </nav>
      <div class="title">
        <Search path={path} q={q} label={`Find in ${HEADINGS[tab].toLowerCase()}`} />
        <div class="actions">
          <a class="button" href={`${path}/csv`}>
            Download CSV
          </a>
          {tab !== PAYMENTS && (
            <a class="button main" href={`${path}/new`}>
              {`Add ${COLLECTIONS[tab].names.short}`}
            </a>
          )}
        </div>
      </div>
      <p class="caption">
        {numberText(pagination.total)}
        {q === '' ? ' in all.' : ' found.'}
        {tab === PAYMENTS && ' Computed from the orders.'}
      </p>
      <Table
        label={HEADINGS[tab]}
        columns={['Id', ...columnsOf(tab).map(labelOf)]}
        numbers={columnsOf(tab).filter(isMoney).length}
        rows={items.map((record) => cellsOf(subject, tab, record))}
      />
      <Pages path={path} query={{ q }} pagination={pagination} />
    </Frame>,
  );
}

function rowOf(tab: Tab, record: StoredRecord): JsonObject {
  return tab === PAYMENTS ? { ...paymentOf(record) } : record;
}

/** A payment links to its order. */
function cellsOf(account: string, tab: Tab, record: StoredRecord) {
  const row = rowOf(tab, record);
  const currency = valueAt(row, 'currency');
  return [
    <a href={accountPath(account, collectionOf(tab), record.id)}>{shortText(row['id'])}</a>,
    ...columnsOf(tab).map((column) => {
      const text = shownText(column, valueAt(row, column));
      if (!isMoney(column) || typeof currency !== 'string' || text === '') return text;
      return (
        <>
          <small>{truncate(currency, 8)}</small> {text}
        </>
      );
    }),
  ];
}

/** Oldest first. Resolves once every record is read, so a started download is complete. Throws a `PageError` if it is too large. */
async function csvOf({ client }: ConsoleDeps, account: string, tab: Tab): Promise<string> {
  const rows: JsonObject[] = [];
  let characters = 0;
  const records = recordsOf(client, account, collectionOf(tab));
  for await (const record of records.all({ page_size: PAGE_SIZE })) {
    const row = rowOf(tab, record);
    characters += JSON.stringify(row).length;
    if (characters > CSV_MAX_CHARACTERS) {
      const hint = 'The command `service-management export` writes it.';
      throw new PageError(413, 'This collection is too large to download here.', hint);
    }
    rows.push(row);
  }
  const columns = new Set(rows.flatMap(Object.keys));
  const collection = tab === PAYMENTS ? undefined : tab;
  const lines = rows.reverse().map((row) => csvRow(row, columns, CSV_STYLE, collection));
  return csvHeader(columns, CSV_STYLE) + lines.join('');
}

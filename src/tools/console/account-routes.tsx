// The pages about accounts: the list, an account's tabs, its export, its erasure.

import type { Context } from 'hono';
import { type CollectionName, isCollectionName } from '../../core/domain/collection-name.js';
import { SORTS } from './account-list.js';
import { AccountPage, UnknownAccountPage } from './account-pages.js';
import { AccountsPage, type RecordsFound } from './accounts-page.js';
import { ErasePage } from './erase-page.js';
import { downloadHeaders, exportStream } from './export.js';
import { page, type View } from './layout.js';
import type { App, ConsoleParts, PageEnvironment } from './parts.js';
import { accountPath, isTab, PATHS, PAYMENTS, textOf, wholeNumber } from './paths.js';
import { findRecords, wantedBy } from './record-search.js';
import { RECORDS_A_PAGE } from './service.js';

/** So long a reader waits for records of other accounts; then the page says how far it came. */
const FIND_MAX_MS = 5_000;
const FOUND_MAX = 20;
const QUERY_MAX_CHARACTERS = 200;

export function registerAccounts(app: App, parts: ConsoleParts): void {
  const { service, accounts, log } = parts;

  app.get(PATHS.accounts, async (context) => {
    const q = queryOf(context.req.query('q'));
    const sort = SORTS.find((name) => name === context.req.query('sort')) ?? 'subject';
    const number = wholeNumber(context.req.query('page')) ?? 1;
    const [list, records] = await Promise.all([
      accounts.list({ q, sort, page: number }),
      recordsFound(parts, q, wholeNumber(context.req.query('from'))),
    ]);
    const view = context.get('view');
    return context.html(
      page(<AccountsPage view={view} q={q} sort={sort} list={list} records={records} />),
    );
  });

  app.get('/accounts/:account', async (context) => {
    const subject = textOf(context.req.param('account'));
    const account = await service.account(subject);
    if (account === undefined) return context.html(unknown(context.get('view'), subject), 404);
    // The tab with the most to see.
    const tab = account.resources.orders > 0 ? 'orders' : 'customers';
    return context.redirect(accountPath(subject, tab), 303);
  });

  app.get('/accounts/:account/export', async (context) => {
    const subject = textOf(context.req.param('account'));
    // A service that is away is told on a page, before the download begins.
    if ((await service.account(subject)) === undefined) {
      return context.html(unknown(context.get('view'), subject), 404);
    }
    return download(context, subject, undefined);
  });

  app.get('/accounts/:account/:collection/export', async (context, next) => {
    const subject = textOf(context.req.param('account'));
    const collection = context.req.param('collection');
    if (!isCollectionName(collection)) return next();
    if ((await service.account(subject)) === undefined) {
      return context.html(unknown(context.get('view'), subject), 404);
    }
    return download(context, subject, collection);
  });

  registerErasure(app, parts);

  app.get('/accounts/:account/:tab', async (context, next) => {
    const subject = textOf(context.req.param('account'));
    const tab = context.req.param('tab');
    if (!isTab(tab)) return next();
    const q = queryOf(context.req.query('q'));
    const number = wholeNumber(context.req.query('page')) ?? 1;
    const [account, rows] = await Promise.all([
      service.account(subject),
      service.page(subject, tab === PAYMENTS ? 'orders' : tab, { q, page: number }),
    ]);
    const view = context.get('view');
    if (account === undefined || rows === undefined) {
      return context.html(unknown(view, subject), 404);
    }
    const notice = context.req.query('done') === 'deleted' ? 'The record is deleted.' : undefined;
    return context.html(
      page(
        <AccountPage
          view={view}
          account={account}
          tab={tab}
          q={q}
          page={rows}
          pageSize={RECORDS_A_PAGE}
          notice={notice}
        />,
      ),
    );
  });

  function download(
    context: Context<PageEnvironment>,
    subject: string,
    collection: CollectionName | undefined,
  ): Response {
    const brokeOff = (error: unknown) => {
      log.error('console_export_broken_off', error);
      context.env.outgoing.destroy();
    };
    const stream = exportStream(service.patient, subject, collection, brokeOff);
    return context.body(stream, 200, downloadHeaders(subject, collection ?? 'account'));
  }
}

/** Undefined where the text is neither an id nor a telephone number. */
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

function registerErasure(app: App, { service, erasures, log }: ConsoleParts): void {
  const show = async (view: View, subject: string, problem?: string) => {
    const account = await service.account(subject);
    return page(
      <ErasePage
        view={view}
        account={subject}
        records={account?.record_count ?? 0}
        erasure={erasures.of(subject)}
        settings={erasures.settings}
        problem={problem}
      />,
    );
  };
  app.get('/accounts/:account/erase', async (context) =>
    context.html(await show(context.get('view'), textOf(context.req.param('account')))),
  );
  app.post('/accounts/:account/erase', async (context) => {
    const subject = textOf(context.req.param('account'));
    const view = context.get('view');
    if (context.get('form').get('subject') !== subject) {
      return context.html(
        await show(view, subject, 'This is not the subject of the account. Nothing was erased.'),
        422,
      );
    }
    if (erasures.isBusy)
      return context.html(
        await show(view, subject, 'Another account is being erased. Wait until that has ended.'),
        409,
      );
    log.info('console_erasure_started');
    await erasures.start(subject);
    return context.redirect(accountPath(subject, 'erase'), 303);
  });
}

function unknown(view: View, subject: string): string {
  return page(<UnknownAccountPage view={view} account={subject} />);
}

function queryOf(q: string | undefined): string {
  return (q ?? '').slice(0, QUERY_MAX_CHARACTERS);
}

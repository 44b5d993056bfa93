// The list of accounts, with a search by subject or business name.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import type { AccountSummary, OperatorClient } from '../../operator-client.js';
import { truncate } from '../data/errors.js';
import { recordsOf } from '../data/service-client.js';
import type { App, ConsoleDeps } from './deps.js';
import { counted, numberText } from './formats.js';
import { Frame, Pages, Search, Table } from './layout.js';
import { accountPath, PATHS } from './paths.js';
import { HEADINGS, valueAt } from './properties.js';
import { PAGE_SIZE } from './service-requests.js';

/** How many profiles of an account are searched for a name. */
const PROFILES_MAX = 5;

export function registerAccounts(app: App, { client }: ConsoleDeps): void {
  app.get(PATHS.accounts, async (context) => {
    const q = context.req.query('q') ?? '';
    const number = Number(context.req.query('page')) || 1;
    const { items, pagination } = await client.accounts.list({
      q,
      page: number,
      page_size: PAGE_SIZE,
    });
    const rows = await Promise.all(
      items.map(async (account) => ({ ...account, name: await nameOf(client, account) })),
    );
    return context.html(
      <Frame title="Accounts" current="accounts">
        <h1>Accounts</h1>
        <Search path={PATHS.accounts} q={q} label="Find an account by name or subject" />
        <p class="caption">
          {counted(pagination.total, 'account')}
          {q !== '' && ' found'}
        </p>
        <Table
          label="Accounts and their records"
          columns={['Business', 'Subject', 'Records', ...COLLECTION_NAMES.map((n) => HEADINGS[n])]}
          numbers={1 + COLLECTION_NAMES.length}
          rows={rows.map(({ owner_sub, name, record_count, resources }) => [
            <a href={accountPath(owner_sub)}>{truncate(name || owner_sub)}</a>,
            truncate(owner_sub),
            ...[record_count, ...COLLECTION_NAMES.map((each) => resources[each])].map((count) =>
              count === 0 ? '' : numberText(count),
            ),
          ])}
        />
        {pagination.total === 0 && (
          <p class="empty">No match. Try a shorter part of the name or subject.</p>
        )}
        <Pages path={PATHS.accounts} query={{ q }} pagination={pagination} />
      </Frame>,
    );
  });
}

/** The business name, which the API's list lacks: that of the newest profile that has one, or an empty text. */
async function nameOf(client: OperatorClient, { owner_sub, resources }: AccountSummary) {
  if (resources.businesses === 0) return '';
  const profiles = recordsOf(client, owner_sub, 'businesses');
  // If the name can't be read, it is omitted.
  const found = await profiles.list({ page_size: PROFILES_MAX }).catch(() => undefined);
  const texts = found?.items.map((profile) => valueAt(profile, 'businessName'));
  return String(texts?.find((text) => typeof text === 'string' && /\S/.test(text)) ?? '');
}

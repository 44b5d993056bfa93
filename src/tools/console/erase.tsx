// The page that erases an account: confirmation, progress, result.

import type { Erasure } from './erasures.js';
import { Frame, Notice, page, Token, type View } from './layout.js';
import type { App, ConsoleParts, PageContext } from './parts.js';
import { accountPath } from './paths.js';
import { accountOf, Crumbs } from './record-place.js';

const REFRESH_MS = 2_000;

export function registerErasure(app: App, { service, erasures, log }: ConsoleParts): void {
  const show = async (context: PageContext, status: 200 | 409 | 422, problem?: string) => {
    const account = accountOf(context);
    const records = (await service.account(account))?.record_count ?? 0;
    const erasure = erasures.of(account);
    const { ledger } = erasures.parts;
    const props = { view: context.get('view'), account, records, erasure, ledger, problem };
    return context.html(page(<ErasePage {...props} />), status);
  };
  app.get('/accounts/:account/erase', (context) => show(context, 200));
  app.post('/accounts/:account/erase', async (context) => {
    const account = accountOf(context);
    if (context.get('form').get('subject') !== account) {
      return show(context, 422, 'That is not the subject of the account. Nothing was erased.');
    }
    if (erasures.isBusy) {
      return show(context, 409, 'Another account is being erased. Try again later.');
    }
    log.info('console_erasure_started');
    await erasures.start(account);
    return context.redirect(accountPath(account, 'erase'), 303);
  });
}

interface EraseProps {
  readonly view: View;
  readonly account: string;
  readonly records: number;
  readonly erasure: Erasure | undefined;
  readonly ledger: string | undefined;
  readonly problem: string | undefined;
}

function ErasePage(props: EraseProps) {
  const { view, account, erasure, records } = props;
  const isRunning = erasure?.state === 'running';
  return (
    <Frame
      view={view}
      title="Erase the account"
      current="accounts"
      refreshMs={isRunning ? REFRESH_MS : undefined}
    >
      <Crumbs account={account} />
      <h1>Erase the account</h1>
      {erasure && <Result {...props} erasure={erasure} />}
      {!isRunning && records > 0 && <Question {...props} />}
      {erasure === undefined && records === 0 && <p>This account has no records.</p>}
    </Frame>
  );
}

function Result({ view, account, erasure }: EraseProps & { readonly erasure: Erasure }) {
  const { state, done, total, sentence } = erasure;
  const headings = {
    running: ['note', 'Erasing.'],
    done: ['good', 'The account is erased.'],
    failed: ['bad', 'The erasure stopped; erase again to finish.'],
  } as const;
  const [kind, heading] = headings[state];
  const [deleted, all] = [done, total].map(view.formats.number);
  return (
    <Notice kind={kind}>
      <strong>{heading}</strong> {`${deleted} of ${all} records deleted. ${sentence} `}
      {state === 'running' && <a href={accountPath(account, 'erase')}>Refresh</a>}
    </Notice>
  );
}

function Question({ view, account, records, ledger, problem }: EraseProps) {
  return (
    <form method="post" action={accountPath(account, 'erase')} class="card" autocomplete="off">
      <Token view={view} />
      {problem !== undefined && <Notice kind="bad">{problem}</Notice>}
      <p>{`This deletes all ${view.formats.number(records)} records and can’t be undone. First:`}</p>
      <ol>
        <li>End the account’s access at the identity provider; later writes are not erased.</li>
        <li>
          <a href={accountPath(account, 'export')}>Export the account</a> if anyone needs its data.
        </li>
      </ol>
      <p class="caption">
        {ledger === undefined
          ? 'Neither ERASURE_LEDGER nor BACKUP_DIR is set, so the erasure isn’t recorded: restoring an older backup would bring the account back unnoticed.'
          : `The erasure is recorded in ${ledger}, so that a restore warns of the account.`}
      </p>
      <label for="subject">
        Type the subject of the account: <code>{account}</code>
      </label>
      <input id="subject" name="subject" required spellcheck={false} autocapitalize="none" />
      <p class="actions">
        <button type="submit" class="danger">
          Erase all its records
        </button>
        <a class="button" href={accountPath(account)}>
          Cancel
        </a>
      </p>
    </form>
  );
}

// The page that erases an account: the question, how far it is, how it ended.

import type { Erasure, ErasureSettings } from './erasures.js';
import { cut } from './formats.js';
import { Frame, Notice, Token, Value, type View } from './layout.js';
import { accountPath, PATHS } from './paths.js';

const LOOK_AGAIN_MS = 2_000;

interface EraseProps {
  readonly view: View;
  readonly account: string;
  /** Of the account now. */
  readonly records: number;
  readonly erasure: Erasure | undefined;
  readonly settings: ErasureSettings;
  readonly problem?: string | undefined;
}

export function ErasePage(props: EraseProps) {
  const { view, account, erasure } = props;
  const isRunning = erasure?.state === 'running';
  return (
    <Frame
      view={view}
      title="Erase the account"
      current="accounts"
      {...(isRunning && { refreshMs: LOOK_AGAIN_MS })}
    >
      <p class="crumbs">
        <a href={PATHS.accounts}>Accounts</a>
        {' › '}
        <a href={accountPath(account)}>
          <Value>{cut(account)}</Value>
        </a>
      </p>
      <h1>Erase the account</h1>
      {erasure && <Result {...props} erasure={erasure} />}
      {!isRunning && props.records > 0 && <Question {...props} />}
      {erasure === undefined && props.records === 0 && (
        <p class="empty">
          The service has no record of this account. It may be erased, or the subject is misspelt.
        </p>
      )}
    </Frame>
  );
}

function Result({ view, account, erasure }: EraseProps & { readonly erasure: Erasure }) {
  const { formats } = view;
  const progress = `${formats.number(erasure.done)} of ${formats.number(erasure.total)} records are deleted.`;
  if (erasure.state === 'running') {
    return (
      <Notice kind="note">
        <p>
          <strong>The account is being erased.</strong> {progress}
        </p>
        <progress
          max={Math.max(erasure.total, 1)}
          value={erasure.done}
          aria-label="The account is being erased"
        />
        <p>
          <a href={accountPath(account, 'erase')}>Look again</a>
        </p>
      </Notice>
    );
  }
  const isDone = erasure.state === 'done';
  return (
    <Notice kind={isDone ? 'good' : 'bad'}>
      <strong>{isDone ? 'The account is erased' : 'The erasure has stopped'}.</strong> {progress}{' '}
      {erasure.sentence} {isDone ? '' : 'What was deleted stays deleted. Erase again to go on.'}
    </Notice>
  );
}

function Question({ view, account, records, settings, problem }: EraseProps) {
  const { formats } = view;
  return (
    <>
      <p>{`All ${formats.number(records)} records of this account are deleted. This cannot be undone.`}</p>
      <p>Before that:</p>
      <ol>
        <li>
          End the account’s access at the identity provider: what it writes meanwhile is not erased.
        </li>
        <li>Export the account, if anybody is to have its records.</li>
      </ol>
      <p>
        <a class="button" href={accountPath(account, 'export')}>
          Export the account
        </a>
      </p>
      <p class="caption">
        {settings.ledger === undefined
          ? 'The erasure goes into no ledger, because neither ERASURE_LEDGER nor BACKUP_DIR is set here: a restored backup would bring the account back without a word.'
          : `The ledger ${settings.ledger} gets a line, so that a restore names the account.`}
      </p>
      <form method="post" action={accountPath(account, 'erase')} class="erase" autocomplete="off">
        <Token view={view} />
        {problem !== undefined && <Notice kind="bad">{problem}</Notice>}
        <label for="subject">Type the subject of the account</label>
        <p>
          <code>
            <Value>{account}</Value>
          </code>
        </p>
        <input id="subject" name="subject" required spellcheck={false} autocapitalize="none" />
        <p class="actions">
          <button type="submit" class="danger">
            Erase all its records
          </button>
          <a class="button" href={accountPath(account)}>
            Keep it
          </a>
        </p>
      </form>
    </>
  );
}

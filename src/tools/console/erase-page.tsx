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
  const { words } = view;
  const isRunning = erasure?.state === 'running';
  return (
    <Frame
      view={view}
      title={words.erase.title}
      current="accounts"
      {...(isRunning && { refreshMs: LOOK_AGAIN_MS })}
    >
      <p class="crumbs">
        <a href={PATHS.accounts}>{words.accounts.title}</a>
        {' › '}
        <a href={accountPath(account)}>
          <Value>{cut(account)}</Value>
        </a>
      </p>
      <h1>{words.erase.title}</h1>
      {erasure && <Result {...props} erasure={erasure} />}
      {!isRunning && props.records > 0 && <Question {...props} />}
      {erasure === undefined && props.records === 0 && <p class="empty">{words.account.unknown}</p>}
    </Frame>
  );
}

function Result({ view, account, erasure }: EraseProps & { readonly erasure: Erasure }) {
  const { words, formats } = view;
  const progress = words.erase.progress(
    formats.number(erasure.done),
    formats.number(erasure.total),
  );
  if (erasure.state === 'running') {
    return (
      <Notice kind="note">
        <p>
          <strong>{words.erase.running}.</strong> {progress}
        </p>
        <progress
          max={Math.max(erasure.total, 1)}
          value={erasure.done}
          aria-label={words.erase.running}
        />
        <p>
          <a href={accountPath(account, 'erase')}>{words.erase.lookAgain}</a>
        </p>
      </Notice>
    );
  }
  const isDone = erasure.state === 'done';
  return (
    <Notice kind={isDone ? 'good' : 'bad'}>
      <strong>{isDone ? words.erase.done : words.erase.failed}.</strong> {progress}{' '}
      {erasure.sentence} {isDone ? '' : words.erase.failedHint}
    </Notice>
  );
}

function Question({ view, account, records, settings, problem }: EraseProps) {
  const { words, formats } = view;
  return (
    <>
      <p>{words.erase.text(formats.number(records))}</p>
      <p>{words.erase.first}</p>
      <ol>
        {words.erase.steps.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
      <p>
        <a class="button" href={accountPath(account, 'export')}>
          {words.account.exportAll}
        </a>
      </p>
      <p class="caption">
        {settings.ledger === undefined ? words.erase.noLedger : words.erase.ledger(settings.ledger)}
      </p>
      <form method="post" action={accountPath(account, 'erase')} class="erase" autocomplete="off">
        <Token view={view} />
        {problem !== undefined && <Notice kind="bad">{problem}</Notice>}
        <label for="subject">{words.erase.label}</label>
        <p>
          <code>
            <Value>{account}</Value>
          </code>
        </p>
        <input id="subject" name="subject" required spellcheck={false} autocapitalize="none" />
        <p class="actions">
          <button type="submit" class="danger">
            {words.erase.button}
          </button>
          <a class="button" href={accountPath(account)}>
            {words.erase.cancel}
          </a>
        </p>
      </form>
    </>
  );
}

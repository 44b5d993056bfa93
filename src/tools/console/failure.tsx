// Why a page can't be shown, and what to do. If the service is down: the commands to paste.

import { ApiError } from '../../operator-client.js';
import { sentenceOf } from '../data/failures.js';
import { Issues, issuesOf } from './health.js';
import { Frame, Notice, show } from './layout.js';
import type { ConsoleParts, PageContext } from './parts.js';
import { localPath, PATHS } from './paths.js';
import { readStatus } from './service.js';

interface Failure {
  readonly status: 400 | 404 | 409 | 413 | 500 | 502;
  readonly sentence: string;
  readonly hint: string;
  /** The service gave no answer at all. */
  readonly isAway?: boolean;
}

/** A failure that the console itself found. */
export class PageError extends Error {
  readonly failure: Failure;

  constructor(status: Failure['status'], sentence: string, hint = '') {
    super(sentence);
    this.failure = { status, sentence, hint };
  }
}

const UNIT = 'service-management';
/** For a service installed as the operations guide says: is it running, what did it say, would it start? */
export const LOOK_COMMANDS = [
  `systemctl status ${UNIT}`,
  `journalctl -u ${UNIT} -o cat -n 50`,
  `runuser -u ${UNIT} -- ${UNIT} check --online --settings /etc/service-management.env`,
];
export const START_COMMANDS = [`systemctl start ${UNIT}.socket ${UNIT}`];

/** `isWrite`: a change may have been made. */
function failureOf(error: unknown, isWrite: boolean): Failure {
  if (error instanceof PageError) return error.failure;
  if (!(error instanceof ApiError)) {
    return { status: 500, sentence: 'The console failed; its log says why.', hint: '' };
  }
  const isAway = error.code === 'CONNECTION_FAILED' || error.code === 'TIMED_OUT';
  const sentence = isAway ? 'The service does not answer.' : 'The service refused.';
  const isUnknown = isWrite && isAway;
  const unknown = 'The change may or may not have been made: check before you send it again. ';
  return {
    status: 502,
    sentence,
    hint: `${isUnknown ? unknown : ''}${sentenceOf(error)}.`,
    isAway,
  };
}

export async function showFailure(parts: ConsoleParts, context: PageContext, error: unknown) {
  const isWrite = context.req.method === 'POST';
  const { status: code, sentence, hint, isAway } = failureOf(error, isWrite);
  if (code === 500) parts.log.error('console_page_failed', error);
  const { pathname, search } = new URL(context.req.url);
  const status = isAway ? await readStatus(parts.opsUrl) : undefined;
  const page = (
    <Frame title={sentence} isSignedIn={context.get('isSignedIn') ?? false}>
      <h1>{sentence}</h1>
      {hint !== '' && (
        <Notice kind="bad">
          {`${hint} `}
          {typeof status === 'string' && `${status}.`}
          {typeof status === 'object' && 'Its operations port does answer.'}
          <Issues found={issuesOf(status)} status={status} />
        </Notice>
      )}
      {isAway && (
        <section>
          <h2>What to do</h2>
          <p class="caption">On the service’s machine, as root. What is wrong?</p>
          <pre class="commands">{LOOK_COMMANDS.join('\n')}</pre>
          <p class="caption">Then start it, even if systemd has given up:</p>
          <pre class="commands">{START_COMMANDS.join('\n')}</pre>
        </section>
      )}
      <p class="actions">
        {!isWrite && <a href={localPath(pathname + search)}>Reload</a>}
        <a href={PATHS.accounts}>Accounts</a>
      </p>
    </Frame>
  );
  return show(context, page, code);
}

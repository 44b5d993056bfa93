// The error page: what failed and what to do. If the service is down, with commands to paste.

import { ApiError } from '../../operator-client.js';
import { describeError } from '../data/errors.js';
import type { ConsoleDeps, PageContext } from './deps.js';
import { Issues } from './health.js';
import { Frame, Notice } from './layout.js';
import { localPath, PATHS } from './paths.js';
import { readStatus } from './service-requests.js';
import { isSignedIn } from './sign-in.js';

/** An error that the console itself detected. */
export class PageError extends Error {
  readonly status: 400 | 404 | 409 | 413 | 500 | 502;
  /** What to do. */
  readonly hint: string;

  constructor(status: PageError['status'], sentence: string, hint = '') {
    super(sentence);
    this.status = status;
    this.hint = hint;
  }
}

const UNIT = 'service-management';
/** For a service installed as in the operations guide: its state, its log, and whether it would start. */
export const DIAGNOSIS_COMMANDS = [
  `systemctl status ${UNIT}`,
  `journalctl -u ${UNIT} -o cat -n 50`,
  `runuser -u ${UNIT} -- ${UNIT} check --online --settings /etc/service-management.env`,
];
export const START_COMMANDS = [`systemctl start ${UNIT}.socket ${UNIT}`];

/** Whether the service didn't respond at all. */
function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && ['CONNECTION_FAILED', 'TIMED_OUT'].includes(error.code);
}

/** `isWrite`: a change may have been made. */
function toPageError(error: unknown, isWrite: boolean): PageError {
  if (error instanceof PageError) return error;
  if (!(error instanceof ApiError)) {
    return new PageError(500, 'The console failed; its log says why.');
  }
  const hint = `${describeError(error)}.`;
  if (!isUnreachable(error)) return new PageError(502, 'The service refused.', hint);
  const unknown = 'The change may or may not have been made: check before you send it again. ';
  return new PageError(502, 'The service does not respond.', isWrite ? unknown + hint : hint);
}

export async function showError(deps: ConsoleDeps, context: PageContext, error: unknown) {
  const isWrite = context.req.method === 'POST';
  const { status: code, message: sentence, hint } = toPageError(error, isWrite);
  if (code === 500) deps.log.error('console_page_failed', error);
  const { pathname, search } = new URL(context.req.url);
  const status = isUnreachable(error) ? await readStatus(deps.opsUrl) : undefined;
  return context.html(
    <Frame title={sentence} isSignedIn={isSignedIn(deps, context)}>
      <h1>{sentence}</h1>
      {hint !== '' && (
        <Notice kind="bad">
          {`${hint} `}
          {typeof status === 'string' && `${status}.`}
          {typeof status === 'object' && 'Its operations port does respond.'}
          <Issues status={status} />
        </Notice>
      )}
      {isUnreachable(error) && (
        <section>
          <h2>What to do</h2>
          <p class="caption">On the service’s machine, as root. What is wrong?</p>
          <pre class="commands">{DIAGNOSIS_COMMANDS.join('\n')}</pre>
          <p class="caption">Then start it, even if systemd has given up:</p>
          <pre class="commands">{START_COMMANDS.join('\n')}</pre>
        </section>
      )}
      <p class="actions">
        {!isWrite && <a href={localPath(pathname + search)}>Reload</a>}
        <a href={PATHS.accounts}>Accounts</a>
      </p>
    </Frame>,
    code,
  );
}

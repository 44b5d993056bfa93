// Why a page can't be shown, and what to do. If the service is down: the commands to paste.

import { ApiError, type ApiErrorCode } from '../../operator-client.js';
import { Commands, Frame, Notice, type View } from './layout.js';
import { PATHS } from './paths.js';
import type { StatusOrReason } from './status.js';
import { Troubles, troublesOf } from './verdict.js';

export interface Failure {
  readonly status: 400 | 404 | 409 | 413 | 500 | 502 | 503 | 504;
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

type Known = readonly [status: Failure['status'], sentence: string, hint: string];
const KNOWN: Readonly<Partial<Record<ApiErrorCode, Known>>> = {
  CONNECTION_FAILED: [502, 'The service does not answer.', 'This console’s SERVICE_URL is '],
  TIMED_OUT: [504, 'The service did not answer in time.', 'This console’s SERVICE_URL is '],
  UNAUTHORIZED: [
    502,
    'The service refused the admin key.',
    'Set this console’s ADMIN_API_KEY or ADMIN_API_KEY_FILE to the service’s key, and restart the console.',
  ],
  ADMIN_DISABLED: [
    502,
    'The service’s administration API is off.',
    'Set the service’s ADMIN_API_KEY, of 32 characters or more, and restart the service.',
  ],
  NOT_FOUND: [404, 'The service has no such account or record.', 'It may have been deleted.'],
  RATE_LIMITED: [503, 'A proxy limits requests to the service.', 'Wait a minute, then reload.'],
};

/** `isWrite`: a change may have been made. */
export function failureOf(
  error: unknown,
  { serviceUrl, isWrite }: { serviceUrl: string; isWrite: boolean },
): Failure {
  if (error instanceof PageError) return error.failure;
  if (!(error instanceof ApiError)) {
    return { status: 500, sentence: 'The console failed; its log says why.', hint: '' };
  }
  const { code, message, requestId } = error;
  const log = requestId === undefined ? '' : ` Its log has it as ${requestId}.`;
  const answered: Known = [502, `The service answered ${code}.`, `${message}.${log}`];
  const [status, sentence, hint] = KNOWN[code] ?? answered;
  if (code !== 'CONNECTION_FAILED' && code !== 'TIMED_OUT') return { status, sentence, hint };
  const unknown = 'The change may or may not have been made: check before you send it again. ';
  return { status, sentence, hint: `${isWrite ? unknown : ''}${hint}${serviceUrl}.`, isAway: true };
}

interface FailureProps {
  readonly view: View;
  readonly failure: Failure;
  /** A page to reload; undefined: there is none. */
  readonly again: string | undefined;
  /** The operations port's answer, if the service is down. */
  readonly status: StatusOrReason;
}

export function FailurePage({ view, failure, again, status }: FailureProps) {
  const { sentence, hint, isAway } = failure;
  return (
    <Frame view={view} title={sentence}>
      <h1>{sentence}</h1>
      {hint !== '' && (
        <Notice kind="bad">
          {`${hint} `}
          {typeof status === 'string' && `${status}.`}
          {typeof status === 'object' && 'Its operations port does answer.'}
          <Troubles found={troublesOf(status)} status={status} />
        </Notice>
      )}
      {isAway && (
        <section>
          <h2>What to do</h2>
          <p class="caption">On the service’s machine, as root. What is wrong?</p>
          <Commands lines={LOOK_COMMANDS} />
          <p class="caption">Then start it, even if systemd has given up:</p>
          <Commands lines={START_COMMANDS} />
        </section>
      )}
      <p class="actions">
        {again !== undefined && <a href={again}>Reload</a>}
        <a href={PATHS.accounts}>Accounts</a>
      </p>
    </Frame>
  );
}

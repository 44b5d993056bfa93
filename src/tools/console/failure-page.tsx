// A page that cannot be shown says why, and what its reader can do.

import { ApiError } from '../../operator-client.js';
import { Frame, Notice, type View } from './layout.js';
import { PATHS } from './paths.js';

export interface Failure {
  readonly status: 400 | 403 | 404 | 413 | 500 | 502 | 503 | 504;
  readonly sentence: string;
  readonly hint: string;
  /** The service gave no answer at all. */
  readonly isAway?: boolean;
}

/** A failure that the console itself has found. */
export class PageError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.sentence);
    this.failure = failure;
  }
}

/** `isWrite`: a change was under way, so the operator must look before sending it again. */
export function failureOf(
  error: unknown,
  { serviceUrl, isWrite }: { serviceUrl: string; isWrite: boolean },
): Failure {
  if (error instanceof PageError) return error.failure;
  if (!(error instanceof ApiError))
    return { status: 500, sentence: 'The console itself failed. Its log says why.', hint: '' };
  const known = isWrite
    ? 'Nobody knows whether the change was made. Look at the record before you send it again. '
    : '';
  switch (error.code) {
    case 'CONNECTION_FAILED':
      return {
        status: 502,
        sentence: 'The service does not answer.',
        hint: `${known}Look whether the service runs at ${serviceUrl}, and whether SERVICE_URL of this console is right.`,
        isAway: true,
      };
    case 'TIMED_OUT':
      return {
        status: 504,
        sentence: 'The service did not answer in time.',
        hint: `${known}It may be busy. Wait a moment, then load the page again.`,
        isAway: true,
      };
    case 'UNAUTHORIZED':
      return {
        status: 502,
        sentence: 'The service refused the admin key.',
        hint: 'Give this console the key that the service has (ADMIN_API_KEY or ADMIN_API_KEY_FILE), then start the console again.',
      };
    case 'ADMIN_DISABLED':
      return {
        status: 502,
        sentence: 'The administration API of the service is switched off.',
        hint: 'Set ADMIN_API_KEY for the service, 32 characters or more, then start it again.',
      };
    case 'NOT_FOUND':
      return {
        status: 404,
        sentence: 'The service has no such account or record.',
        hint: 'It may be erased or deleted, or the address is misspelt.',
      };
    case 'RATE_LIMITED':
      return {
        status: 503,
        sentence: 'A proxy in front of the service asks for fewer requests.',
        hint: 'Wait a minute, then load the page again.',
      };
    default: {
      const request =
        error.requestId === undefined ? '' : `Its log has the request under ${error.requestId}.`;
      return {
        status: 502,
        sentence: `The service answered ${error.code}.`,
        hint: `${error.message}. ${request}`,
      };
    }
  }
}

interface FailureProps {
  readonly view: View;
  readonly failure: Failure;
  /** Loading it again may help. */
  readonly again: string | undefined;
}

export function FailurePage({ view, failure, again }: FailureProps) {
  return (
    <Frame view={view} title="This page cannot be shown">
      <h1>This page cannot be shown</h1>
      <Notice kind="bad">
        <strong>{failure.sentence}</strong> {failure.hint}
      </Notice>
      <p class="actions">
        {again !== undefined && (
          <a class="button" href={again}>
            Load the page again
          </a>
        )}
        <a class="button" href={PATHS.overview}>
          To the overview
        </a>
      </p>
    </Frame>
  );
}

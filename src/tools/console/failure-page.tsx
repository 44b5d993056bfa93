// A page that cannot be shown says why, and what its reader can do.

import { ApiError } from '../../operator-client.js';
import { Frame, Notice, type View } from './layout.js';
import { PATHS } from './paths.js';
import type { Words } from './words.js';

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
  { words, serviceUrl, isWrite }: { words: Words; serviceUrl: string; isWrite: boolean },
): Failure {
  const { failures } = words;
  if (error instanceof PageError) return error.failure;
  if (!(error instanceof ApiError)) return { status: 500, sentence: failures.own, hint: '' };
  const known = isWrite ? `${failures.slowWrite} ` : '';
  switch (error.code) {
    case 'CONNECTION_FAILED':
      return {
        status: 502,
        sentence: failures.down,
        hint: known + failures.downHint(serviceUrl),
        isAway: true,
      };
    case 'TIMED_OUT':
      return {
        status: 504,
        sentence: failures.slow,
        hint: known + failures.slowHint,
        isAway: true,
      };
    case 'UNAUTHORIZED':
      return { status: 502, sentence: failures.refused, hint: failures.refusedHint };
    case 'ADMIN_DISABLED':
      return { status: 502, sentence: failures.disabled, hint: failures.disabledHint };
    case 'RATE_LIMITED':
      return { status: 503, sentence: failures.limited, hint: failures.limitedHint };
    default: {
      const request = error.requestId === undefined ? '' : failures.request(error.requestId);
      return {
        status: 502,
        sentence: failures.other(error.code),
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
  const { words } = view;
  return (
    <Frame view={view} title={words.failures.title}>
      <h1>{words.failures.title}</h1>
      <Notice kind="bad">
        <strong>{failure.sentence}</strong> {failure.hint}
      </Notice>
      <p class="actions">
        {again !== undefined && (
          <a class="button" href={again}>
            {words.failures.again}
          </a>
        )}
        <a class="button" href={PATHS.overview}>
          {words.failures.toOverview}
        </a>
      </p>
    </Frame>
  );
}

// Errors of the commands, and how they are printed. Exit codes are in `src/tools/program`.

import { ApiError } from '../../operator-client.js';
import { messageOf } from '../../storage/file/connection-errors.js';

/** The command is valid but failed: exit code 1. */
export class CommandError extends Error {}

/** Whether a retry may help: the service is busy, unavailable or unreachable. */
export function isTransient(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { code, status } = error;
  if (code === 'ADMIN_DISABLED') return false;
  if (code === 'CONNECTION_FAILED' || code === 'TIMED_OUT') return true;
  return status === 429 || status === 408 || (status !== undefined && status >= 500);
}

export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The sentence for the terminal. Never contains a key, because no message of the client does. */
export function describeError(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return `${Object(error).path} does not exist`;
  if (!(error instanceof ApiError)) return messageOf(error);
  const { code, message, status, requestId } = error;
  if (code === 'ADMIN_DISABLED') {
    return "the service's administration API is off; set ADMIN_API_KEY for the service, too";
  }
  if (code === 'UNAUTHORIZED') {
    return "the service refused the admin key (401); use the service's own ADMIN_API_KEY";
  }
  if (code === 'CONNECTION_FAILED' || code === 'TIMED_OUT') {
    const reason = error.cause instanceof Error ? errorCode(error.cause.cause) : undefined;
    const shown = reason === undefined ? '' : ` (${reason})`;
    return `${message}; check SERVICE_URL and that the service runs${shown}`;
  }
  const request = requestId === undefined ? '' : `, request ${requestId}`;
  return `the service returned ${code} (status ${status}${request}): ${message}`;
}

/** Never splits a surrogate pair. */
export function truncate(text: string, maxCharacters = 80): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** `1 row`, `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

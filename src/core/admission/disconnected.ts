// Work for a client that has gone ends where it waits. The answer, which nobody reads, is this
// failure; the log of requests has it.

import { FailureError, failed } from '../domain/errors.js';

export const DISCONNECTED = failed(
  'BAD_REQUEST',
  'the connection was closed before the request was done',
);

/** Whether nobody waits for the answer any more. */
export type IsDisconnected = () => boolean;

export const neverDisconnected: IsDisconnected = () => false;

export function disconnected(): FailureError {
  return new FailureError(DISCONNECTED.failure);
}

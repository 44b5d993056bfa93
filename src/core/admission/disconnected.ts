// Work for a client that has gone ends while it waits. The answer, which nobody reads, is this
// failure; the log of requests has it.

import { FailureError, failed } from '../domain/errors.js';

const MESSAGE = 'the connection was closed before the request was done';

export const DISCONNECTED = failed('BAD_REQUEST', MESSAGE);

/** Whether nobody waits for the answer any more. */
export type IsDisconnected = () => boolean;

export const neverDisconnected: IsDisconnected = () => false;

export const disconnected = () => new FailureError(DISCONNECTED.failure);

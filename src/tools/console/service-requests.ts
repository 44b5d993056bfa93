// Requests that the operator's client doesn't have: the `/status` of the service's
// operations port.

import type { ServiceStatus } from '../../hosts/operations/status.js';
import { ApiError } from '../../operator-client.js';

/** Rows of every page of a list. */
export const PAGE_SIZE = 25;
/** Longer than the service itself waits for a disk that hangs, so that it can report one. */
const STATUS_TIMEOUT_MS = 5_000;

/** The answer; undefined for 404. */
export function ifFound<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
}

/** `/status`, or a sentence with the reason of a failure; undefined without an operations port. */
export type StatusOrReason = ServiceStatus | string | undefined;

/** Never rejects. `url`: `http://HOST:PORT`; undefined without an operations port. */
export async function readStatus(url: string | undefined): Promise<StatusOrReason> {
  if (url === undefined) return undefined;
  const signal = AbortSignal.timeout(STATUS_TIMEOUT_MS);
  try {
    const response = await fetch(`${url}/status`, { signal, redirect: 'error' });
    const answer = (await response.json()) as ServiceStatus | null;
    if (!Array.isArray(answer?.last_hour)) throw new Error('it is not a /status of this release');
    return answer;
  } catch (error) {
    // A failed connection by its code.
    const { message = String(error), cause } = error as Error;
    const why = signal.aborted ? `none within ${STATUS_TIMEOUT_MS / 1000} s` : message;
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    return `The operations port ${url} gave no usable answer: ${code ?? why}`;
  }
}

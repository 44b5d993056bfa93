// Requests to the service besides those of the operator's client.

import type { ServiceStatus } from '../../hosts/operations/status.js';
import { ApiError } from '../../operator-client.js';

export const PAGE_SIZE = 25;
/** Longer than the service's own time-out for its disk, so that it can report a disk that hangs. */
const STATUS_TIMEOUT_MS = 5_000;

/** Resolves with undefined if the response is 404. */
export function ifFound<T>(response: Promise<T>): Promise<T | undefined> {
  return response.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
}

/** `/status`, or a sentence that says why it failed; undefined if there is no operations port. */
export type StatusOrReason = ServiceStatus | string | undefined;

/** Never rejects. `url`: `http://HOST:PORT` of the operations port. */
export async function readStatus(url: string | undefined): Promise<StatusOrReason> {
  if (url === undefined) return undefined;
  const signal = AbortSignal.timeout(STATUS_TIMEOUT_MS);
  try {
    const response = await fetch(`${url}/status`, { signal, redirect: 'error' });
    const status = (await response.json()) as ServiceStatus | null;
    if (!Array.isArray(status?.last_hour)) throw new Error('it is not a /status of this release');
    return status;
  } catch (error) {
    const { message = String(error), cause } = error as Error;
    const why = signal.aborted ? `none within ${STATUS_TIMEOUT_MS / 1000} s` : message;
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    return `The operations port ${url} gave no usable response: ${code ?? why}`;
  }
}

// The `/status` of the service's operations port.

import type { Status } from '../../hosts/operations/status.js';

/** Longer than the service itself waits for a disk that hangs, so that it can report one. */
const ANSWER_MAX_MS = 5_000;

/** `/status`, or a sentence that says why there is none; undefined without an operations port. */
export type StatusOrReason = Status | string | undefined;

/** Never rejects. `url`: `http://HOST:PORT`; undefined without an operations port. */
export async function readStatus(url: string | undefined): Promise<StatusOrReason> {
  if (url === undefined) return undefined;
  const signal = AbortSignal.timeout(ANSWER_MAX_MS);
  try {
    const response = await fetch(`${url}/status`, { signal, redirect: 'error' });
    const answer = (await response.json()) as Status | null;
    if (!Array.isArray(answer?.last_hour)) throw new Error('it is not a /status of this release');
    return answer;
  } catch (error) {
    // A failed connection by its code.
    const { message = String(error), cause } = error as Error;
    const why = signal.aborted ? `none within ${ANSWER_MAX_MS / 1000} s` : message;
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    return `The operations port ${url} gave no usable answer: ${code ?? why}`;
  }
}

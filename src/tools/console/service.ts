// The service as the console calls it: the operator's client, with answers of bounded length, no
// redirects, and a timeout that suits a person.

import { ApiError, createOperatorClient, type OperatorClient } from '../../operator-client.js';
import { boundedFetch } from '../data/service.js';

const TIMEOUT_MS = 10_000;
/** Rows of every page of a list: the largest records still fit into one answer. */
export const PAGE_SIZE = 25;
/** A record of an earlier release has up to 2 MiB, and its id and owner. */
const ANSWER_MAX_BYTES = PAGE_SIZE * 2_200_000;

/** `timeoutMs`: of one call. */
export function serviceClient(
  target: { readonly baseUrl: string; readonly adminKey: string },
  timeoutMs = TIMEOUT_MS,
): OperatorClient {
  return createOperatorClient({
    ...target,
    timeoutMs,
    fetch: (url, init) => boundedFetch(url, init, ANSWER_MAX_BYTES),
  });
}

/** The answer; undefined for 404. */
export function found<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
}

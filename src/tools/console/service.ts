// The service as the console calls it: the operator's client, with answers of bounded length, no
// redirects, and a timeout that suits a person.

import { boundedBody } from '../../core/bounded-body.js';
import type { CollectionName } from '../../core/domain/collection-name.js';
import type { JsonObject } from '../../core/domain/json.js';
import {
  ApiError,
  createOperatorClient,
  type OperatorClient,
  type OperatorListQuery,
  type RecordCalls,
} from '../../operator-client.js';

const TIMEOUT_MS = 10_000;
/** Rows of every page of a list: the largest records still fit into one answer. */
export const PAGE_SIZE = 25;
/** A record of an earlier release has up to 2 MiB, and its id and owner. */
const ANSWER_MAX_BYTES = PAGE_SIZE * 2_200_000;

/** A record of any collection. */
export type StoredRecord = JsonObject & { readonly id: string };

/** `timeoutMs`: of one call. */
export function serviceClient(
  target: { readonly baseUrl: string; readonly adminKey: string },
  timeoutMs = TIMEOUT_MS,
): OperatorClient {
  return createOperatorClient({ ...target, timeoutMs, fetch: boundedFetch });
}

export function recordsOf(client: OperatorClient, account: string, collection: CollectionName) {
  const records: unknown = client.recordsOf(account)[collection];
  return records as RecordCalls<JsonObject, StoredRecord, OperatorListQuery>;
}

/** The answer; undefined for 404. */
export function found<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
}

async function boundedFetch(url: string, init: RequestInit): Promise<Response> {
  // The key must not follow a redirect to another host.
  const response = await fetch(url, { ...init, redirect: 'manual' });
  if (response.body === null) return response;
  const body = await boundedBody(response.body, ANSWER_MAX_BYTES);
  if (body !== undefined) return new Response(body, response);
  const message = `the answer is longer than ${ANSWER_MAX_BYTES} bytes`;
  throw new ApiError('UNEXPECTED_ANSWER', message, { status: response.status });
}

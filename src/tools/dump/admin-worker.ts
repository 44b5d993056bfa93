// The admin Worker over HTTP. Every call may be repeated, and is after transient failures.

import { objectIn } from '../../core/json-line.js';
import { ApiError } from '../../operator-client.js';
import { inWords, isPassing } from '../data/failures.js';
import { patiently, WAITS } from '../data/service.js';
import type { CommandDependencies } from '../program/command-dependencies.js';

/** The last piece of a large account is answered once all of it was read. */
const ANSWER_MAX_MS = 120_000;

/** The admin Worker refuses this account; the others continue. */
export class Refused extends Error {}

/** Resolves with the answer's data. Rejects with `Refused`, or with a `CommandError` if nothing can continue. */
export type Ask = <T>(
  method: 'GET' | 'PUT',
  path: string,
  query?: Readonly<Record<string, string>>,
  body?: unknown,
) => Promise<T>;

/** `url`: its address. */
export function adminWorkerAt(
  url: string,
  adminKey: string,
  dependencies: CommandDependencies,
): Ask {
  const waits = dependencies.waits ?? { ...WAITS, timeoutMs: ANSWER_MAX_MS };
  let hasAnswered = false;
  // There is no point in waiting for a Worker that can't be reached at all.
  const mayPass = (error: unknown): error is ApiError => hasAnswered && isPassing(error);
  const once = async (path: string, method: string, body: unknown) => {
    const { status, text } = await answerTo(`${url}${path}`, {
      method,
      headers: { 'X-Service-Admin-Key': adminKey },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The key must not follow a redirect to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(waits.timeoutMs),
    });
    const { data, error }: { data?: unknown; error?: { message?: string } } = objectIn(text) ?? {};
    hasAnswered ||= data !== undefined;
    if (status === 200 && data !== undefined) return data;
    const said = `${error?.message ?? 'this is not the admin Worker'}; check the address, and that dist/admin-worker.js of this release is deployed there`;
    if (status === 409 || status === 422) throw new Refused(error?.message ?? said);
    throw new ApiError(status === 401 ? 'UNAUTHORIZED' : 'UNEXPECTED_ANSWER', said, { status });
  };
  return async <T>(method: string, path: string, query = {}, body?: unknown) => {
    const call = () => once(`${path}?${new URLSearchParams(query)}`, method, body);
    return (await inWords(() => patiently(call, dependencies, waits, mayPass))) as T;
  };
}

async function answerTo(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    const message = `no answer from ${new URL(url).origin}`;
    throw new ApiError('CONNECTION_FAILED', message, { cause });
  }
}

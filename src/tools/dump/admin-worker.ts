// The admin Worker over HTTP. Every call may be repeated, and is after transient failures.

import { objectIn } from '../../core/json-line.js';
import { ApiError } from '../../operator-client.js';
import { CommandError, isPassing, sentenceOf } from '../data/failures.js';
import { patiently, startWaiting, WAITS } from '../data/waiting.js';
import type { CommandDependencies, Waits } from '../program/command-dependencies.js';

/** The last piece of a large account is answered once all of it was read. */
const ANSWER_MAX_MS = 120_000;

/** The admin Worker refuses this account; the others continue. */
export class Refused extends Error {}

export class AdminWorker {
  readonly #target: { readonly url: string; readonly adminKey: string };
  readonly #dependencies: CommandDependencies;
  readonly #waits: Waits;
  #hasAnswered = false;

  constructor(
    target: { readonly url: string; readonly adminKey: string },
    dependencies: CommandDependencies,
  ) {
    this.#target = target;
    this.#dependencies = dependencies;
    this.#waits = dependencies.waits ?? { ...WAITS, timeoutMs: ANSWER_MAX_MS };
  }

  /** Rejects with `Refused`, or with a `CommandError` if nothing can continue. */
  async ask<T>(method: 'GET' | 'PUT', path: string, query = {}, body?: unknown): Promise<T> {
    const waiting = startWaiting(this.#dependencies, this.#waits, sentenceOf);
    // There is no point in waiting for a Worker that can't be reached at all.
    const mayPass = (error: unknown): error is ApiError => this.#hasAnswered && isPassing(error);
    const once = () => this.#once(`${path}?${new URLSearchParams(query)}`, method, body);
    try {
      return (await patiently(once, waiting, mayPass, this.#dependencies)) as T;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new CommandError(sentenceOf(error), { cause: error });
    }
  }

  async #once(path: string, method: string, body: unknown): Promise<unknown> {
    const { url, adminKey } = this.#target;
    const { status, text } = await answerTo(`${url}${path}`, {
      method,
      headers: { 'X-Service-Admin-Key': adminKey },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The key must not follow a redirect to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(this.#waits.timeoutMs),
    });
    const answer: { data?: unknown; error?: { message?: string } } = objectIn(text) ?? {};
    if (status === 200 && 'data' in answer) {
      this.#hasAnswered = true;
      return answer.data;
    }
    const said = `${answer.error?.message ?? 'this is not the admin Worker'}; check the address, and that dist/admin-worker.js of this release is deployed there`;
    if (status === 409 || status === 422) throw new Refused(answer.error?.message ?? said);
    throw new ApiError(status === 401 ? 'UNAUTHORIZED' : 'UNEXPECTED_ANSWER', said, { status });
  }
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

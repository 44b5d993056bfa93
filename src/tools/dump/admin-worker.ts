// The admin Worker as a dump and a load ask it: over HTTP, and again while it or the network fails
// in passing. Every call may be repeated.

import { boundedBody } from '../../core/bounded-body.js';
import { objectIn } from '../../core/json-line.js';
import { CommandError } from '../data/failures.js';
import { patiently, startWaiting, WAITS, type Waits } from '../data/waiting.js';
import type { CommandDependencies } from '../program/command-dependencies.js';

/** An answer has one piece: a record of 2 MB, as a text within JSON, is longer. */
const ANSWER_MAX_BYTES = 33_554_432;
/** The last piece of a large account is answered once all of it was read. */
const ANSWER_MAX_MS = 120_000;

/** The admin Worker takes this account not at all; the others go on. */
export class Refused extends Error {}

class Transient extends Error {
  readonly retryAfterMs = undefined;
}

type Call = readonly [
  method: 'GET' | 'PUT',
  path: string,
  query?: Readonly<Record<string, string>>,
  body?: unknown,
];

export class AdminWorker {
  readonly #target: { readonly url: string; readonly adminKey: string };
  readonly #dependencies: CommandDependencies;
  readonly #waits: Waits;

  constructor(
    target: { readonly url: string; readonly adminKey: string },
    dependencies: CommandDependencies,
    waits: Waits = { ...WAITS, timeoutMs: ANSWER_MAX_MS },
  ) {
    this.#target = target;
    this.#dependencies = dependencies;
    this.#waits = waits;
  }

  /** The first call: no waiting for a Worker that cannot be reached at all. */
  async reach(): Promise<void> {
    await this.#once('GET', '/accounts').catch((error: unknown) => {
      throw error instanceof Transient ? new CommandError(error.message, { cause: error }) : error;
    });
  }

  /** Rejects with `Refused`, or with a `CommandError` if nothing can go on. */
  ask<T>(...call: Call): Promise<T> {
    const waiting = startWaiting(
      this.#dependencies,
      this.#waits,
      ({ message }: Transient) => message,
    );
    const isTransient = (error: unknown): error is Transient => error instanceof Transient;
    const once = async () => (await this.#once(...call)) as T;
    return patiently(once, waiting, isTransient, this.#dependencies);
  }

  async #once(...[method, path, query = {}, body]: Call): Promise<unknown> {
    const { url, adminKey } = this.#target;
    const { status, text } = await fetched(`${url}${path}?${new URLSearchParams(query)}`, {
      method,
      headers: { 'X-Service-Admin-Key': adminKey },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The key must not follow a redirect to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(this.#waits.timeoutMs),
    });
    const answer: { data?: unknown; error?: { message?: string } } | undefined = objectIn(text);
    if (status === 200 && answer !== undefined && 'data' in answer) return answer.data;
    const said = answer?.error?.message ?? 'not the answer of an admin Worker';
    const sentence = `the admin Worker answered ${status}: ${said}`;
    if (status === 409 || status === 422) throw new Refused(said);
    if (status === 429 || status >= 500) throw new Transient(sentence);
    throw new CommandError(
      status === 401
        ? 'the admin Worker refused the key (401); give the key that this script has, of 32 characters or more'
        : `${sentence}; check the address, and that dist/admin-worker.js of this release is deployed there`,
    );
  }
}

/** Rejects with `Transient` if no whole answer came. */
async function fetched(url: string, init: RequestInit) {
  try {
    const { status, body } = await fetch(url, init);
    const bytes = await boundedBody(body, ANSWER_MAX_BYTES);
    if (bytes !== undefined) return { status, text: Buffer.from(bytes).toString('utf8') };
  } catch (error) {
    const { name = '', cause } = error as Error;
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    const reason = name === 'TimeoutError' ? ' in time' : code;
    throw new Transient(
      `no answer from ${new URL(url).origin}${reason}; check the address and the network`,
      { cause: error },
    );
  }
  throw new CommandError(`the answer is longer than ${ANSWER_MAX_BYTES} bytes; check the address`);
}

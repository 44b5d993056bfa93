// The admin Worker as a move asks it: over HTTP, with patience where it or the
// network fails in passing. Every call may be made again.

import { boundedBody } from '../../core/bounded-body.js';
import { retryAfterMs } from '../../core/retry-after.js';
import type {
  ArrivingPiece,
  EventPlace,
  KnownAccounts,
  LeavingEvents,
  LeavingPiece,
  MovedEvent,
  MovedState,
} from '../../storage/move/move-messages.js';
import { OBJECT_BODY_MAX_BYTES } from '../../storage/object/object-schema.js';
import { CommandError } from '../data/failures.js';
import { patiently, startWaiting, WAITS, type Waits } from '../data/waiting.js';
import type { CommandDependencies } from '../program/command-dependencies.js';
import {
  type ArrivingAccount,
  isPassing,
  type KnownAccount,
  type OtherPlace,
  Passing,
  Refused,
} from './other-place.js';

/** An answer has one piece: a record of 2 MB, as a text within JSON, is longer. */
const ANSWER_MAX_BYTES = 33_554_432;
const TOO_LONG = `the admin Worker sent more than ${ANSWER_MAX_BYTES} bytes; check the address`;
/** The last piece of a large account is answered when all of it was read, and is in memory. */
const ANSWER_MAX_MS = 120_000;

export class AdminWorker implements OtherPlace {
  readonly name: string;
  readonly anew = 'DELETE /accounts/SUBJECT at the admin Worker';
  readonly bodyMaxBytes = OBJECT_BODY_MAX_BYTES;
  readonly #target: { readonly url: string; readonly adminKey: string };
  readonly #dependencies: CommandDependencies;
  readonly #waits: Waits;

  constructor(
    target: { readonly url: string; readonly adminKey: string },
    dependencies: CommandDependencies,
    waits: Waits = { ...WAITS, timeoutMs: ANSWER_MAX_MS },
  ) {
    this.name = target.url;
    this.#target = target;
    this.#dependencies = dependencies;
    this.#waits = waits;
  }

  /** The first call: a Worker that cannot be reached at all is no matter of patience. */
  async reach(): Promise<void> {
    try {
      await this.#once('GET', '/accounts');
    } catch (error) {
      if (!isPassing(error)) throw error;
      throw new CommandError(error.message, { cause: error });
    }
  }

  /** As the directory knows them. */
  async accounts(): Promise<KnownAccount[]> {
    const known: KnownAccount[] = [];
    for (;;) {
      const after = known.at(-1)?.owner ?? '';
      const page = await this.#patiently<KnownAccounts>('GET', '/accounts', { after });
      known.push(...page.accounts);
      if (page.isLast) return known;
    }
  }

  /** Each account that arrives brings them. */
  async raise(): Promise<void> {}

  async close(): Promise<void> {}

  /** Piece by piece; a large account may be there in part. */
  async arrive({ owner, announced, pieces, arrived }: ArrivingAccount): Promise<number> {
    let from = 0;
    let taken = 0;
    let state: MovedState | undefined;
    for (const rows of pieces()) {
      // An empty piece asks, where one that is full would be sent in vain.
      if (from === 0 && rows.length < announced.records) {
        state = await this.#send(owner, { announced, from, rows: [] });
      }
      const isThere = state !== undefined && isBeyond(state, from + rows.length);
      if (!isThere) {
        state = await this.#send(owner, { announced, from, rows });
        taken += state.taken;
      }
      from += rows.length;
      arrived(rows.length);
    }
    if (state?.state !== 'whole' || state.digest !== announced.digest) {
      throw new Refused('the Worker does not say that the account is whole; run the move again');
    }
    return taken;
  }

  state(account: string): Promise<MovedState> {
    return this.#patiently('GET', '/state', { account });
  }

  piece(account: string, after: number): Promise<LeavingPiece> {
    return this.#patiently('GET', '/records', { account, after: String(after) });
  }

  events({ timestamp, id }: EventPlace): Promise<LeavingEvents> {
    return this.#patiently('GET', '/audit-events', { timestamp, id: String(id) });
  }

  async sendEvents(events: readonly MovedEvent[]): Promise<number> {
    const { known } = await this.#patiently<{ known: number }>('PUT', '/audit-events', {}, events);
    return known;
  }

  #send(account: string, piece: ArrivingPiece): Promise<MovedState> {
    return this.#patiently('PUT', '/records', { account }, piece);
  }

  #patiently<T>(...call: Call): Promise<T> {
    const sentenceOf = ({ message }: Passing) => message;
    const waiting = startWaiting(this.#dependencies, this.#waits, sentenceOf);
    const once = async () => (await this.#once(...call)) as T;
    return patiently(once, waiting, isPassing, this.#dependencies);
  }

  /** Rejects with `Passing`, `Refused` or a `CommandError`; each is a sentence. */
  async #once(...[method, path, query = {}, body]: Call): Promise<unknown> {
    const { url, adminKey } = this.#target;
    const { status, headers, text } = await fetched(`${url}${path}?${new URLSearchParams(query)}`, {
      method,
      headers: { 'X-Service-Admin-Key': adminKey },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The key must not follow a redirect to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(this.#waits.timeoutMs),
    });
    const answer = answerIn(text);
    if (status === 200 && answer !== undefined && 'data' in answer) return answer.data;
    const said = answer?.error?.message ?? 'an answer that is not that of an admin Worker';
    const sentence = `the admin Worker answered ${status}: ${said}`;
    if (status === 409 || status === 422) throw new Refused(said);
    if (status === 429 || status >= 500) {
      const asked = retryAfterMs({ headers }, this.#dependencies.now());
      throw new Passing(sentence, { retryAfterMs: asked });
    }
    if (status === 401) {
      throw new CommandError(
        'the admin Worker refused the key (401); give the key that this script has, of 32 characters or more',
      );
    }
    throw new CommandError(
      `${sentence}; check the address, and that dist/admin-worker.js of this release is deployed there`,
    );
  }
}

function isBeyond({ state, records }: MovedState, row: number): boolean {
  return state === 'whole' || records >= row;
}

type Call = readonly [
  method: 'GET' | 'PUT',
  path: string,
  query?: Readonly<Record<string, string>>,
  body?: unknown,
];

/** Rejects with `Passing` where no whole answer came. */
async function fetched(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, init);
    const body = await boundedBody(response.body, ANSWER_MAX_BYTES);
    if (body === undefined) throw new CommandError(TOO_LONG);
    const { status, headers } = response;
    return { status, headers, text: Buffer.from(body).toString('utf8') };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new Passing(
      `no answer from ${new URL(url).origin}${causeOf(error)}; check the address and the network`,
      { cause: error },
    );
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if (error.name === 'TimeoutError') return ' in time';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}

function answerIn(text: string): { data?: unknown; error?: { message?: string } } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

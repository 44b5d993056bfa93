// Workers, by the admin Worker over HTTP. Every call may be repeated, and is after transient
// failures. A load goes account by account: what has arrived stays, and another run continues.

import { objectIn } from '../../core/json-line.js';
import type { Sequences } from '../../core/records/record-storage.js';
import { ApiError } from '../../operator-client.js';
import { AccountDigest, sha256 } from '../../storage/dump/dumped-rows.js';
import type {
  KnownAccounts,
  LeavingEvents,
  LeavingPiece,
  LoadPiece,
  LoadState,
  NamedEvent,
} from '../../storage/dump/worker-messages.js';
import { CommandError, inWords, isPassing } from '../data/failures.js';
import { patiently, WAITS } from '../data/service.js';
import type { CommandDependencies } from '../program/command-dependencies.js';
import {
  type ContentLine,
  type EventLine,
  eventLine,
  isEvent,
  isRecord,
  type RecordLine,
  rowOf,
} from './dump-file.js';
import { batchesOf, type CheckedDump, type Store } from './store.js';

/** The last piece of a large account is answered once all of it was read. */
const ANSWER_MAX_MS = 120_000;
/** Of a hash, so that an event is known by its text. */
const EPOCH_CHARACTERS = 16;

/** The admin Worker refuses this account; the others continue. */
class Refused extends Error {}

/** Resolves with the answer's data. Rejects with `Refused`, or with a `CommandError` if nothing can continue. */
type Ask = <T>(
  method: 'GET' | 'PUT',
  path: string,
  query: Readonly<Record<string, string>>,
  body?: unknown,
) => Promise<T>;

/** `url`: of the admin Worker. */
export function workersStore(
  url: string,
  adminKey: string,
  dependencies: CommandDependencies,
): Store {
  const waits = dependencies.waits ?? { ...WAITS, timeoutMs: ANSWER_MAX_MS };
  let hasAnswered = false;
  const once = async (method: string, path: string, body: unknown) => {
    const init = {
      method,
      headers: { 'X-Service-Admin-Key': adminKey },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The key must not follow a redirect to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(waits.timeoutMs),
    } as const;
    const { status, text } = await fetch(url + path, init)
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((cause: unknown) => {
        throw new ApiError('CONNECTION_FAILED', `no answer from ${url}`, { cause });
      });
    const { data, error }: { data?: unknown; error?: { message?: string } } = objectIn(text) ?? {};
    hasAnswered ||= data !== undefined;
    if (status === 200 && data !== undefined) return data;
    const message = error?.message ?? 'this is not the admin Worker';
    if (status === 409 || status === 422) throw new Refused(message);
    const said = `${message}; check the address, and that dist/admin-worker.js of this release is deployed there`;
    throw new ApiError(status === 401 ? 'UNAUTHORIZED' : 'UNEXPECTED_ANSWER', said, { status });
  };
  // There is no point in waiting for a Worker that can't be reached at all.
  const mayPass = (error: unknown): error is ApiError => hasAnswered && isPassing(error);
  const ask = async <T>(method: string, path: string, query: object, body?: unknown) => {
    const call = () => once(method, `${path}?${new URLSearchParams({ ...query })}`, body);
    return (await inWords(() => patiently(call, dependencies, waits, mayPass))) as T;
  };
  return {
    kind: 'workers',
    lines: (account) => linesOf(ask, account),
    load: (dump) => load(ask, dump),
  };
}

async function* pagesOf<Page extends { readonly isLast: boolean }>(
  ask: Ask,
  path: string,
  first: Readonly<Record<string, string>>,
  next: (page: Page) => object,
): AsyncGenerator<Page> {
  for (let query = first; ; ) {
    const page = await ask<Page>('GET', path, query);
    yield page;
    if (page.isLast) return;
    query = { ...query, ...next(page) };
  }
}

async function* linesOf(ask: Ask, account?: string): AsyncGenerator<ContentLine> {
  if (account !== undefined) yield* recordsOf(ask, account);
  else {
    const after = ({ owners }: KnownAccounts) => ({ after: owners.at(-1) ?? '' });
    for await (const { owners } of pagesOf(ask, '/accounts', { after: '' }, after)) {
      for (const owner of owners) yield* recordsOf(ask, owner);
    }
  }
  let id = 0;
  const begin = { timestamp: '', id: '0' };
  const pages = pagesOf<LeavingEvents>(ask, '/audit-events', begin, ({ last }) => last);
  for await (const { events } of pages) {
    for (const { event, name } of events) yield { ...eventLine(++id, event), name };
  }
}

async function* recordsOf(ask: Ask, account: string): AsyncGenerator<ContentLine> {
  let position = 0;
  const first = { account, after: '0' };
  const pages = pagesOf<LeavingPiece>(ask, '/records', first, ({ last }) => ({ after: last }));
  for await (const { rows, isLast, sequences } of pages) {
    for (const [collection, id, body, created_at, updated_at] of rows) {
      position++;
      yield { collection, id, owner: account, position, created_at, updated_at, body };
    }
    if (isLast) yield { account, highest: sequences };
  }
}

async function load(ask: Ask, dump: CheckedDump): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  let account: LoadedAccount | undefined;
  const unlessRefused = async (act: (account: LoadedAccount) => Promise<void>) => {
    if (account === undefined || refused.has(account.owner)) return;
    try {
      await act(account);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused.set(account.owner, error.message);
    }
  };
  const end = async (highest: Sequences) => {
    await unlessRefused((ended) => ended.end(highest));
    if (refused.has(account?.owner ?? '')) dump.loaded.records -= account?.records ?? 0;
    account = undefined;
  };
  for await (const batch of batchesOf(dump.lines())) {
    const [line] = batch;
    if (line === undefined || isEvent(line)) await take(ask, batch.filter(isEvent));
    else if (isRecord(line)) {
      const owner = line.owner ?? '';
      if (owner !== account?.owner) await end(dump.highest);
      account ??= new LoadedAccount(ask, owner, dump.sha256);
      await unlessRefused((loading) => loading.add(batch.filter(isRecord)));
      account.records += batch.length;
      // Only Workers dump these for each account, behind its records.
    } else if (line.account !== null) await end(line.highest);
  }
  await end(dump.highest);
  return refused;
}

async function take(ask: Ask, lines: readonly EventLine[]): Promise<void> {
  const events = await Promise.all(lines.map(named));
  const { known } = await ask<{ known: number }>('PUT', '/audit-events', {}, events);
  if (known !== events.length) {
    throw new CommandError(
      `the audit log has taken ${known} of ${events.length} events; run the load again`,
    );
  }
}

/** The same event of the same storage has the same name in each dump. */
async function named({ id, owner, name, event }: EventLine): Promise<NamedEvent> {
  if (name) {
    const [of, epoch, number] = JSON.parse(name) as [string, string, number];
    return { owner: of, epoch, number, event };
  }
  const epoch = `file-${(await sha256(event)).slice(0, EPOCH_CHARACTERS)}`;
  return { owner, epoch, number: id, event };
}

/** An account on its way into its object. `load`: the name of the dump. */
class LoadedAccount {
  records = 0;
  readonly owner: string;
  readonly #send: (piece: Pick<LoadPiece, 'rows' | 'whole'>) => Promise<LoadState>;
  readonly #digest = new AccountDigest();

  constructor(ask: Ask, owner: string, load: string) {
    let state: LoadState | undefined;
    this.owner = owner;
    this.#send = async (piece) => {
      if (owner === '') throw new Refused('no account owns these records');
      if (state?.state === 'whole') return state;
      const sent: LoadPiece = { load, from: this.records, ...piece };
      state = await ask<LoadState>('PUT', '/records', { account: owner }, sent);
      return state;
    };
  }

  async add(lines: readonly RecordLine[]): Promise<void> {
    const rows = lines.map(rowOf);
    for (const row of rows) await this.#digest.add(row);
    await this.#send({ rows });
  }

  async end(sequences: Sequences): Promise<void> {
    const whole = { ...(await this.#digest.contents()), sequences };
    const { state, records, digest } = await this.#send({ rows: [], whole });
    if (digest === whole.digest) return;
    throw new Refused(
      state === 'whole'
        ? `the account has other records (${records}) than the dump (${whole.records}); nothing was changed. To replace them, export the account, DELETE /accounts/SUBJECT of the admin Worker, and load again`
        : 'not all of it has arrived; run the load again',
    );
  }
}

// Workers, through the admin Worker over HTTP. Every call is idempotent, and retried after transient
// failures. A load proceeds account by account: what has arrived stays, and another run resumes.

import { objectIn } from '../../core/json-line.js';
import { ApiError } from '../../operator-client.js';
import { AccountDigest, sha256 } from '../../storage/dump/dumped-rows.js';
import type * as message from '../../storage/dump/worker-messages.js';
import type { Service } from '../data/service.js';
import type { CheckedDump, ContentLine, EventLine, Store } from './dump-file.js';
import { eventLine, rowOf } from './dump-file.js';

/** The admin Worker refuses this account; the load continues with the others. */
class Refused extends Error {}

/** Resolves with the response's data. Rejects with `Refused` if only this account fails. */
type Ask = <T>(method: string, path: string, query: object, body?: unknown) => Promise<T>;

/** `url`: the admin Worker's. `service`: retries while the Worker is busy or unavailable. */
export function workersStore(url: string, key: string, service: Service): Store {
  const once = async <T>(method: string, path: string, body: unknown) => {
    const { status, text } = await fetch(url + path, {
      method,
      headers: { 'X-Service-Admin-Key': key },
      body: body === undefined ? null : JSON.stringify(body),
      // The key must not follow a redirect to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(service.waits.timeoutMs),
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((cause: unknown) => {
        throw new ApiError('CONNECTION_FAILED', `no answer from ${url}`, { cause });
      });
    const { data, error }: { data?: T; error?: { message?: string } } = objectIn(text) ?? {};
    if (status === 200 && data !== undefined) return data;
    const reason = error?.message ?? 'is this the admin Worker of this release?';
    if (status === 409 || status === 422) throw new Refused(reason);
    throw new ApiError('UNEXPECTED_ANSWER', reason, { status });
  };
  const ask: Ask = (method, path, query, body) =>
    service.withRetry(() => once(method, `${path}?${new URLSearchParams({ ...query })}`, body));
  return {
    kind: 'workers',
    lines: (account) => linesOf(ask, account),
    load: (dump) => load(ask, dump),
  };
}

async function* paginate<Page extends { readonly isLast: boolean }>(
  ask: Ask,
  path: string,
  query: object,
  next: (page: Page) => object,
): AsyncGenerator<Page> {
  for (let asked = query; ; ) {
    const page = await ask<Page>('GET', path, asked);
    yield page;
    if (page.isLast) return;
    asked = { ...asked, ...next(page) };
  }
}

async function* linesOf(ask: Ask, account?: string): AsyncGenerator<ContentLine> {
  if (account !== undefined) yield* recordsOf(ask, account);
  else {
    const after = ({ owners }: message.KnownAccounts) => ({ after: owners.at(-1) ?? '' });
    for await (const { owners } of paginate(ask, '/accounts', { after: '' }, after)) {
      for (const owner of owners) yield* recordsOf(ask, owner);
    }
  }
  let id = 0;
  const begin = { timestamp: '', id: '0' };
  const pages = paginate<message.LeavingEvents>(ask, '/audit-events', begin, ({ last }) => last);
  for await (const { events } of pages) {
    for (const { event, name } of events) yield { ...eventLine(++id, event), name };
  }
}

async function* recordsOf(ask: Ask, account: string): AsyncGenerator<ContentLine> {
  const after = ({ last }: message.LeavingPiece) => ({ after: last });
  const pages = paginate(ask, '/records', { account, after: '0' }, after);
  for await (const { rows, isLast, sequences } of pages) {
    for (const [collection, id, body, created_at, updated_at] of rows) {
      yield { collection, id, owner: account, created_at, updated_at, body };
    }
    if (isLast) yield { account, highest: sequences };
  }
}

async function load(ask: Ask, dump: CheckedDump): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>();
  let [from, digest, isThere] = [0, new AccountDigest(), false];
  for await (const { owner: account, records, events, isLast } of dump.batches()) {
    if (events.length > 0) {
      await ask('PUT', '/audit-events', {}, await Promise.all(events.map(named)));
    }
    if (records.length === 0) continue;
    const rows = records.map(rowOf);
    for (const row of rows) await digest.add(row);
    const sequences = dump.highestOf.get(account) ?? dump.highest;
    const whole = isLast ? { ...(await digest.contents()), sequences } : undefined;
    try {
      if (account === '') throw new Refused('no account owns these records');
      if (!refused.has(account) && (whole || !isThere)) {
        const sent: message.LoadPiece = { load: dump.sha256, from, rows, ...(whole && { whole }) };
        const state = await ask<message.LoadState>('PUT', '/records', { account }, sent);
        isThere = state.state === 'whole';
        if (whole && state.digest !== whole.digest) {
          throw new Refused(
            `the account has other records (${state.records}) than the dump (${whole.records}); nothing was changed. To replace them, export the account, DELETE /accounts/SUBJECT of the admin Worker, and load again`,
          );
        }
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused.set(account, error.message);
    }
    from += rows.length;
    if (isLast && refused.has(account)) dump.loaded.records -= from;
    if (isLast) [from, digest, isThere] = [0, new AccountDigest(), false];
  }
  return refused;
}

/** An event of one storage has the same name in every dump. */
async function named({ id, owner, name, event }: EventLine): Promise<message.NamedEvent> {
  if (name) {
    const [of, epoch, number] = JSON.parse(name) as [string, string, number];
    return { owner: of, epoch, number, event };
  }
  // From a hash of the text, so that a repeated load recognizes the event.
  return { owner, epoch: `file-${(await sha256(event)).slice(0, 16)}`, number: id, event };
}

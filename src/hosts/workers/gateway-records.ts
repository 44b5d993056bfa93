// The records as the gateway sees them: every account is an object somewhere, and each
// operation is one call to it. If the object was lost, a read is retried once, with a new
// stub; a write never, because its outcome is unknown.

import { FailureError, failed, type Outcome, succeeded } from '../../core/domain/errors.js';
import type { RowsPage } from '../../core/domain/listing.js';
import type { Log } from '../../core/log.js';
import VIEWS, { type ObjectViews } from '../../core/operator-answers.js';
import type {
  AccountRecords,
  OperatorViews,
  RecordService,
  Sender,
  ViewQuery,
} from '../../core/records/record-service.js';
import { clientClosedRequest } from '../../core/records/writes.js';
import type { AccountStub, Caller, DirectoryStub } from './account-call.js';
import { receivedPage, type SentPage } from './sent-page.js';

/** How the gateway reaches the objects; each call gives a fresh stub. */
export interface Objects {
  account(owner: string): AccountStub;
  directory(): DirectoryStub;
}

export function gatewayRecords(objects: Objects, log: Log): RecordService {
  return {
    account: (owner, sender) => gatewayAccount(objects, log, owner, sender),
    operator: gatewayOperator(objects),
  };
}

function gatewayAccount(
  objects: Objects,
  log: Log,
  owner: string,
  sender: Sender | undefined,
): AccountRecords {
  const caller: Caller = { owner, actor: sender?.actor, run: sender?.run };

  async function call<T>(ask: Ask<T>): Promise<Outcome<T>> {
    try {
      return await ask(objects.account(owner));
    } catch (error) {
      throw isUnknownMethod(error) ? new OtherRelease(error) : error;
    }
  }

  const read = <T>(ask: Ask<T>) => retryOnce(() => call(ask));

  /** An account may be unavailable, which a page can't express. */
  async function page(ask: Ask<SentPage>): Promise<RowsPage> {
    const answered = await read(ask);
    if (!answered.ok) throw new FailureError(answered.failure);
    return receivedPage(answered.value);
  }

  async function write(operation: string, ask: Ask<string>): Promise<Outcome<string>> {
    if (sender?.isDisconnected()) return clientClosedRequest;
    try {
      return await call(ask);
    } catch (error) {
      if (error instanceof OtherRelease) throw error;
      log.error('account_call_failed', error, { operation });
      return failed(
        'STORAGE_FAILED',
        "the account's storage gave no answer; read the record before trying again",
      );
    }
  }

  return {
    list: (collection, query) => page((account) => account.list(caller, collection, query)),
    read: (collection, id) => read((account) => account.read(caller, collection, id)),
    create: (collection, body) =>
      write('create', (account) => account.create(caller, collection, body)),
    update: (collection, id, body) =>
      write('update', (account) => account.update(caller, collection, id, body)),
    delete: (collection, id) =>
      write('delete', (account) => account.delete(caller, collection, id)),
    payments: () => page((account) => account.payments(caller)),
    /** Asks the account itself, because the directory may not have its latest change yet. */
    async profile() {
      const profile = await read((account) => account.profile(caller));
      if (!profile.ok) return profile;
      const { summary, profiles } = profile.value;
      return succeeded({ summary, profiles: receivedPage(profiles).items });
    },
  };
}

type Ask<T> = (account: AccountStub) => Promise<Outcome<T>>;

/** Each of the operator's views is one call to the directory. */
function gatewayOperator(objects: Objects): OperatorViews {
  const ask = <T>(view: (directory: DirectoryStub) => Promise<T>) =>
    retryOnce(() => view(objects.directory()));
  const objectViews = VIEWS.objects.map((name) => [
    name,
    () => ask<ObjectViews[keyof ObjectViews]>((directory) => directory[name]()),
  ]);
  const rowViews = VIEWS.rows.map((name) => [
    name,
    async (query: ViewQuery) => receivedPage(await ask((directory) => directory[name](query))),
  ]);
  return {
    ...Object.fromEntries([...objectViews, ...rowViews]),
    ping: () => ask((directory) => directory.ping()),
  };
}

/** Retries a read once if the platform advises it: the object was lost, isn't overloaded, and none of our code failed. */
async function retryOnce<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return await read();
  }
}

/** The platform's properties of an error: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { retryable = false, overloaded = false } = error as Error & PlatformError;
  return retryable && !overloaded;
}

interface PlatformError {
  readonly retryable?: boolean;
  readonly overloaded?: boolean;
}

/** The words are the platform's: `The RPC receiver does not implement the method "list".` */
function isUnknownMethod(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('does not implement');
}

/** The object runs a release without the method, and did nothing. */
class OtherRelease extends Error {
  constructor(cause: unknown) {
    super('the account runs a version without this operation; a deployment may be under way', {
      cause,
    });
  }
}

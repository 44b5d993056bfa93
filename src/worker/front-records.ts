// The records as the front sees them: every account is an object somewhere, and each
// operation is one call to it. If the object was lost, a read is asked once more, of a
// fresh stub; a write never, because its outcome is unknown.

import type { CollectionName } from '../domain/collection-name.js';
import { FailureError, failed, type Outcome, succeeded } from '../domain/errors.js';
import type { ListQuery, PageRequest, RowsPage } from '../domain/listing.js';
import type { Log } from '../log.js';
import type {
  AccountPage,
  AccountProfile,
  AccountRecords,
  OperatorViews,
  Overview,
  RecordStore,
  Sender,
  Usage,
} from '../records/record-store.js';
import type { AccountReply, AccountStub, DirectoryStub, Operation } from './account-call.js';
import { receivedPage } from './sent-page.js';

/** How the front reaches the objects; each call gives a fresh stub. */
export interface Objects {
  account(owner: string): AccountStub;
  directory(): DirectoryStub;
}

export function frontRecords(objects: Objects, log: Log): RecordStore {
  return {
    account: (owner, sender) => new FrontAccount(objects, log, owner, sender),
    operator: new FrontOperator(objects),
  };
}

class FrontAccount implements AccountRecords {
  readonly #objects: Objects;
  readonly #log: Log;
  readonly #owner: string;
  readonly #sender: Sender | undefined;

  constructor(objects: Objects, log: Log, owner: string, sender: Sender | undefined) {
    this.#objects = objects;
    this.#log = log;
    this.#owner = owner;
    this.#sender = sender;
  }

  async list(collection: CollectionName, query: ListQuery): Promise<RowsPage> {
    return pageIn(await this.#read({ name: 'list', collection, query }));
  }

  async read(collection: CollectionName, id: string): Promise<Outcome<string>> {
    return outcomeIn(await this.#read({ name: 'read', collection, id }));
  }

  create(collection: CollectionName, body: string): Promise<Outcome<string>> {
    return this.#write({ name: 'create', collection, body });
  }

  update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>> {
    return this.#write({ name: 'update', collection, id, body });
  }

  delete(collection: CollectionName, id: string): Promise<Outcome<string>> {
    return this.#write({ name: 'delete', collection, id });
  }

  async payments(): Promise<RowsPage> {
    return pageIn(await this.#read({ name: 'payments' }));
  }

  /** Asks the account itself, because the directory may not have its latest change yet. */
  async profile(): Promise<Outcome<AccountProfile>> {
    const reply = await this.#read({ name: 'profile' });
    if (reply.kind !== 'profile') throw failureOf(reply);
    if (!reply.outcome.ok) return reply.outcome;
    const { summary, profiles = [], page } = reply.outcome.value;
    return succeeded({ summary, profiles: page ? receivedPage(page).items : profiles });
  }

  #read(operation: Operation): Promise<AccountReply> {
    return retryOnce(() => this.#perform(operation));
  }

  async #write(operation: Operation): Promise<Outcome<string>> {
    if (this.#sender?.hasGone()) {
      return failed('BAD_REQUEST', 'the connection was closed before the change was made');
    }
    let reply: AccountReply;
    try {
      reply = await this.#perform(operation);
    } catch (error) {
      this.#log.error('account_call_failed', error, { operation: operation.name });
      return failed(
        'STORAGE_FAILED',
        "the account's storage gave no answer; read the record before trying again",
      );
    }
    return outcomeIn(reply);
  }

  #perform(operation: Operation): Promise<AccountReply> {
    const [owner, actor] = [this.#owner, this.#sender?.actor];
    return this.#objects.account(owner).perform({ owner, actor, operation });
  }
}

class FrontOperator implements OperatorViews {
  readonly #objects: Objects;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  overview(): Promise<Overview> {
    return this.#ask((directory) => directory.overview());
  }

  accounts(q: string, page: PageRequest): Promise<AccountPage> {
    return this.#ask((directory) => directory.accounts(q, page));
  }

  usage(): Promise<Usage> {
    return this.#ask((directory) => directory.usage());
  }

  async auditEvents(page: PageRequest): Promise<RowsPage> {
    return receivedPage(await this.#ask((directory) => directory.auditEvents(page)));
  }

  ping(): Promise<void> {
    return this.#ask((directory) => directory.ping());
  }

  #ask<T>(view: (directory: DirectoryStub) => Promise<T>): Promise<T> {
    return retryOnce(() => view(this.#objects.directory()));
  }
}

/** Tries a read once more if the platform says that this may help: the object was lost, it is not overloaded, and no code of ours failed. */
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

function outcomeIn(reply: AccountReply): Outcome<string> {
  if (reply.kind !== 'outcome') throw unexpected(reply);
  return reply.outcome;
}

function pageIn(reply: AccountReply): RowsPage {
  if (reply.kind !== 'page') throw failureOf(reply);
  return receivedPage(reply.page);
}

/** The account may say that it cannot answer now; a page has no place for that. */
function failureOf(reply: AccountReply): Error {
  const { kind } = reply;
  return kind === 'outcome' && !reply.outcome.ok
    ? new FailureError(reply.outcome.failure)
    : unexpected(reply);
}

function unexpected({ kind }: AccountReply): Error {
  return new Error(
    kind === 'unsupported'
      ? 'the account runs a version without this operation; a deployment may be under way'
      : `the account answered with "${kind}", which is no answer to this`,
  );
}

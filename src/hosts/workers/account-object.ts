// One account's records as a durable object: the same records, rules and writer as in a
// single process, over the object's own database. The platform runs at most one object for
// an account, so there is one writer here as well.

import { DurableObject } from 'cloudflare:workers';
import type { CollectionName } from '../../core/domain/collection-name.js';
import { type Outcome, succeeded } from '../../core/domain/errors.js';
import type { ListQuery } from '../../core/domain/listing.js';
import type { AccountRecords } from '../../core/records/record-service.js';
import type {
  LeavingPiece,
  LoadPiece,
  LoadState,
  Reply,
} from '../../storage/dump/worker-messages.js';
import { ObjectRecordStorage } from '../../storage/object/object-record-storage.js';
import type {
  AccountStub,
  Caller,
  Delivery,
  Erased,
  Restore,
  RestoreReply,
  RestoreState,
  SentProfile,
} from './account-call.js';
import { AccountDump } from './account-dump.js';
import { beginRestore, followRestore } from './account-restore.js';
import { consoleLog } from './console-log.js';
import { accountSettings, directoryStub, type WorkerEnvironment } from './environment.js';
import { Outbox } from './outbox.js';
import { type SentPage, sentPage } from './sent-page.js';
import { notServed, type ObjectParts, ServedAccount } from './served-account.js';

/**
 * How long the operator's answer waits for the directory. A later change is shown once the
 * alarm has delivered it.
 */
const OPERATOR_WAIT_MS = 2_000;

/** Each part depends on those before it: outbox, storage, account, then the dump. */
export class AccountObject extends DurableObject<WorkerEnvironment> implements AccountStub {
  readonly #parts: ObjectParts;
  readonly #dump: AccountDump;

  constructor(...[ctx, env]: ConstructorParameters<typeof DurableObject<WorkerEnvironment>>) {
    super(ctx, env);
    const { storage } = ctx;
    const log = consoleLog();
    const directory = () => directoryStub(env);
    const { limits, seedsSamples } = accountSettings(env);
    const outbox = new Outbox({ storage, directory, log, clock: Date.now, random: Math.random });
    const recordStorage = new ObjectRecordStorage({
      storage,
      epoch: crypto.randomUUID(),
      follower: outbox,
    });
    const account = new ServedAccount({ ctx, recordStorage, outbox, limits, seedsSamples, log });
    this.#parts = { storage, recordStorage, outbox, limits, account, log };
    this.#dump = new AccountDump(this.#parts);
    void account.load();
  }

  list(caller: Caller, collection: CollectionName, query: ListQuery): Promise<Outcome<SentPage>> {
    return this.#ask(caller, async (records) =>
      succeeded(sentPage(await records.list(collection, query))),
    );
  }

  read(caller: Caller, collection: CollectionName, id: string): Promise<Outcome<string>> {
    return this.#ask(caller, (records) => records.read(collection, id));
  }

  create(caller: Caller, collection: CollectionName, body: string): Promise<Outcome<string>> {
    return this.#change(caller, (records) => records.create(collection, body));
  }

  update(
    caller: Caller,
    collection: CollectionName,
    id: string,
    body: string,
  ): Promise<Outcome<string>> {
    return this.#change(caller, (records) => records.update(collection, id, body));
  }

  delete(caller: Caller, collection: CollectionName, id: string): Promise<Outcome<string>> {
    return this.#change(caller, (records) => records.delete(collection, id));
  }

  payments(caller: Caller): Promise<Outcome<SentPage>> {
    return this.#ask(caller, async (records) => succeeded(sentPage(await records.payments())));
  }

  profile(caller: Caller): Promise<Outcome<SentProfile>> {
    return this.#ask(caller, async (records) => {
      const profile = await records.profile();
      if (!profile.ok) return profile;
      const { summary, profiles: items } = profile.value;
      const profiles = sentPage({ items, total: summary.resources.businesses });
      return succeeded({ summary, profiles });
    });
  }

  async announce(owner: string): Promise<Delivery | undefined> {
    await this.#parts.account.expectOwner(owner);
    return this.#parts.outbox.delivery();
  }

  async takePiece(owner: string, piece: LoadPiece): Promise<Reply<LoadState>> {
    this.#parts.outbox.expectOwner(owner);
    const reply = await this.#dump.take(owner, piece);
    await this.#tellDirectory();
    return reply;
  }

  async leavingPiece(owner: string, after: number): Promise<Reply<LeavingPiece>> {
    this.#parts.outbox.expectOwner(owner);
    return this.#dump.leave(after);
  }

  /** May be repeated. Rejects, with nothing erased, while the directory cannot take the audit events. */
  async erase(owner: string): Promise<Erased> {
    this.#parts.outbox.expectOwner(owner);
    // This call must stay outside the block below, which would hold back the answer that it waits for.
    await this.#parts.outbox.deliver();
    await this.#parts.account.empty(async () => {
      if (this.#parts.outbox.isPending) throw new Error('the directory has not taken every change');
      await directoryStub(this.env).forget(owner);
    });
    return { owner_sub: owner, erased: true };
  }

  async restore(restore: Restore): Promise<RestoreReply> {
    this.#parts.outbox.expectOwner(restore.owner);
    return beginRestore(this.#parts, restore);
  }

  async followRestore(restore: Restore): Promise<RestoreState> {
    this.#parts.outbox.expectOwner(restore.owner);
    return followRestore(this.#parts, restore);
  }

  override async alarm(): Promise<void> {
    await this.#parts.outbox.onAlarm();
  }

  async #ask<T>(
    { owner, actor, run }: Caller,
    use: (records: AccountRecords) => Outcome<T> | Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    const records = await this.#parts.account.records(owner);
    if (records === undefined) return notServed();
    return use(records.account(owner, { actor, run, isDisconnected: () => false }));
  }

  async #change(
    caller: Caller,
    use: (records: AccountRecords) => Promise<Outcome<string>>,
  ): Promise<Outcome<string>> {
    const outcome = await this.#ask(caller, use);
    if (caller.actor !== undefined) await this.#tellDirectory();
    return outcome;
  }

  /** "After an operator's own change, the operator's next view shows it." */
  async #tellDirectory(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waited = new Promise((resolve) => {
      timer = setTimeout(resolve, OPERATOR_WAIT_MS);
    });
    await Promise.race([this.#parts.outbox.deliver(), waited]);
    clearTimeout(timer);
  }
}

// One account's records as a durable object: the same records, rules and writer
// as in one process, over the object's own database. The platform runs at most
// one of them for an account, so there is one writer here, too.

import { DurableObject } from 'cloudflare:workers';
import { byCollection } from '../domain/collection-name.js';
import { SAMPLE_OWNER } from '../domain/sample-records.js';
import {
  type AccountLimits,
  type OpenAccounts,
  openAccounts,
  sampleRows,
  unsliced,
} from '../handler.js';
import type { Log } from '../log.js';
import type { RecordCounts, Sender } from '../records/record-store.js';
import { readAccountLimits } from '../settings.js';
import type {
  ArrivingPiece,
  LeavingPiece,
  MovedState,
  MoveReply,
} from '../storage/move/move-messages.js';
import { ObjectJournal } from '../storage/object/object-journal.js';
import type {
  AccountCall,
  AccountReply,
  Delivery,
  Erased,
  Restore,
  RestoreReply,
  RestoreState,
} from './account-call.js';
import { AccountMove, movingIn } from './account-move.js';
import { performed } from './account-operations.js';
import { AccountRestore } from './account-restore.js';
import { consoleLog } from './console-log.js';
import { directoryStub, settingsIn, type WorkerEnvironment } from './environment.js';
import { Outbox } from './outbox.js';

/**
 * How long the operator's answer waits for the directory. After that, the change is
 * shown once the alarm has delivered it.
 */
const OPERATOR_WAIT_MS = 2_000;
/** An isolate has 128 MB, which hold the records' texts about twice. */
const ACCOUNT_MAX_BYTES = 48_000_000;
/** Characters of folded texts, at most two bytes each. The memory that the records leave free must also hold a page and a body. */
const SEARCH_MAX_CHARACTERS = 8_000_000;
const NO_RECORDS: RecordCounts = byCollection(() => 0);

export class AccountObject extends DurableObject<WorkerEnvironment> {
  readonly #log = consoleLog();
  readonly #journal: ObjectJournal;
  readonly #outbox: Outbox;
  readonly #restore: AccountRestore;
  readonly #move: AccountMove;
  /** Undefined while the account is being moved in. */
  #records: OpenAccounts | undefined;
  /** The account of this object, known from the first call on. */
  #owner = '';

  constructor(...[ctx, env]: ConstructorParameters<typeof DurableObject<WorkerEnvironment>>) {
    super(ctx, env);
    const { storage } = ctx;
    this.#outbox = new Outbox({
      storage,
      directory: () => directoryStub(env),
      log: this.#log,
      clock: Date.now,
      random: Math.random,
    });
    this.#journal = new ObjectJournal({
      storage,
      epoch: crypto.randomUUID(),
      onFirstCommit: () => this.#outbox.create(this.#owner),
      onCommit: (effect) => {
        // This change was under way when a move began.
        if (this.#records === undefined) throw new Error('the account is being moved in');
        return this.#outbox.follow(effect);
      },
    });
    this.#move = new AccountMove({
      storage,
      journal: this.#journal,
      outbox: this.#outbox,
      limits: limitsIn(env, this.#log),
      clear: () => ctx.blockConcurrencyWhile(() => this.#clear()),
      reopen: (change) =>
        ctx.blockConcurrencyWhile(async () => {
          storage.transactionSync(change);
          this.#journal.look();
          await this.#open();
        }),
    });
    this.#restore = new AccountRestore({
      storage,
      journal: this.#journal,
      outbox: this.#outbox,
      directory: () => directoryStub(env),
      abort: (reason) => ctx.abort(reason),
      log: this.#log,
    });
    void ctx.blockConcurrencyWhile(() => this.#open());
  }

  /** Rejects only if the object cannot answer; every other outcome is a value. */
  async perform(call: AccountCall): Promise<AccountReply> {
    await this.#expectOwner(call.owner);
    if (this.#records === undefined) return { kind: 'outcome', outcome: movingIn() };
    const records = this.#records;
    const sender: Sender = { actor: call.actor, hasGone: () => false };
    const reply = await performed(records.account(call.owner, sender), call.operation);
    if (call.actor !== undefined && reply.kind === 'outcome') await this.#tellDirectory();
    return reply;
  }

  async announce(owner: string): Promise<Delivery | undefined> {
    await this.#expectOwner(owner);
    return this.#outbox.delivery();
  }

  async takePiece(owner: string, piece: ArrivingPiece): Promise<MoveReply<MovedState>> {
    this.#expectOwnObject(owner);
    const reply = await this.#move.take(owner, piece);
    await this.#tellDirectory();
    return reply;
  }

  async movedState(owner: string): Promise<MoveReply<MovedState>> {
    this.#expectOwnObject(owner);
    return this.#move.state();
  }

  async leavingPiece(owner: string, after: number): Promise<MoveReply<LeavingPiece>> {
    this.#expectOwnObject(owner);
    return this.#move.piece(after);
  }

  /** May be repeated. Rejects, with nothing erased, while the directory cannot take the audit events. */
  async erase(owner: string): Promise<Erased> {
    this.#expectOwnObject(owner);
    // This call must stay outside the block below: the block would wait for an answer that it holds back itself.
    await this.#outbox.deliver();
    return this.ctx.blockConcurrencyWhile(async () => {
      if (this.#outbox.isPending) throw new Error('the directory has not taken every change');
      await directoryStub(this.env).forget(owner);
      await this.#clear();
      return { owner_sub: owner, erased: true };
    });
  }

  async restore(restore: Restore): Promise<RestoreReply> {
    this.#expectOwnObject(restore.owner);
    const reply = await this.#restore.begin(restore);
    // The restore would undo everything that is written from here on.
    if (reply.kind === 'restarting') this.#records = undefined;
    return reply;
  }

  async followRestore(restore: Restore): Promise<RestoreState> {
    if (this.#restore.isRestarting) return 'restarting';
    this.#expectOwnObject(restore.owner);
    return this.#restore.follow(restore);
  }

  override async alarm(): Promise<void> {
    await this.#outbox.onAlarm();
  }

  async #clear(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#outbox.reset();
    this.#journal.look();
    await this.#open();
  }

  async #open(): Promise<void> {
    this.#records = undefined;
    const arriving = this.#move.arriving;
    if (arriving !== undefined) {
      this.#owner = arriving;
      return;
    }
    this.#records = await openAccounts({
      journal: this.#journal,
      log: this.#log,
      scheduler: unsliced(),
      limits: limitsIn(this.env, this.#log),
      searchMaxCharacters: SEARCH_MAX_CHARACTERS,
      // Memory and storage may differ, so this object ends. The next call finds a new object,
      // which reads the stored records.
      onStorageLost: () => this.ctx.abort('storage is in doubt'),
    });
    if (!this.#journal.hasTables) return;
    this.#owner = this.#outbox.load();
    const profile = await this.#records.account(this.#owner).profile();
    await this.#outbox.resume(profile.ok ? profile.value.summary.resources : NO_RECORDS);
  }

  #expectOwnObject(owner: string): void {
    if (this.#owner === '') this.#owner = owner;
    if (this.#owner !== owner) throw new Error('the call is for another account than this object');
  }

  async #expectOwner(owner: string): Promise<void> {
    this.#expectOwnObject(owner);
    if (owner === SAMPLE_OWNER && !this.#journal.hasTables) {
      await this.ctx.blockConcurrencyWhile(() => this.#sow());
    }
  }

  /** Sows the sample account's rows at the first request for it. */
  async #sow(): Promise<void> {
    if (this.#journal.hasTables) return;
    const result = await this.#journal.commit({
      puts: sampleRows(),
      removals: [],
      sequences: {},
      events: [],
      at: Date.now(),
    });
    if (result.status !== 'committed') throw result.error;
    await this.#open();
  }

  /** "After an operator's own change, the operator's next view shows it." */
  async #tellDirectory(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waited = new Promise((resolve) => {
      timer = setTimeout(resolve, OPERATOR_WAIT_MS);
    });
    await Promise.race([this.#outbox.deliver(), waited]);
    clearTimeout(timer);
  }
}

/**
 * If a setting cannot be used, the default holds here. The front refuses every request
 * then, and its log names the setting.
 */
function limitsIn(env: WorkerEnvironment, log: Log): AccountLimits {
  try {
    return readAccountLimits(settingsIn(env), ACCOUNT_MAX_BYTES);
  } catch (error) {
    log.error('setting_unusable', error);
    return readAccountLimits({}, ACCOUNT_MAX_BYTES);
  }
}

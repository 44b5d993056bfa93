// One account's records in a fleet: answered here where this process holds the account's shard,
// else by the process that does. While the shard changes hands, the request waits.

import type { CollectionName } from '../../core/domain/collection-name.js';
import { FailureError, failed, type Outcome } from '../../core/domain/errors.js';
import type { ListQuery, RowsPage } from '../../core/domain/listing.js';
import type { Eventually } from '../../core/eventually.js';
import type { AccountProfile, AccountRecords, Sender } from '../../core/records/record-service.js';
import { shardOf } from '../../storage/postgres/shards.js';
import {
  type AccountCall,
  answerCall,
  failureReply,
  isRead,
  pageIn,
  profileIn,
  type Reply,
  textIn,
} from './account-call.js';
import type { Fleet } from './fleet.js';
import type { HeldShard } from './held-shards.js';
import type { Peers } from './peers.js';

/** A load balancer's own patience is seldom shorter. */
const WAIT_MAX_MS = 8_000;
const RETRY_AFTER_SECONDS = 2;

export interface FleetAccountContext {
  readonly fleet: Fleet;
  readonly peers: Peers;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
}

export class FleetAccount implements AccountRecords {
  readonly #context: FleetAccountContext;
  readonly #owner: string;
  readonly #sender: Sender | undefined;
  readonly #shard: number;

  constructor(context: FleetAccountContext, owner: string, sender?: Sender) {
    this.#context = context;
    this.#owner = owner;
    this.#sender = sender;
    this.#shard = shardOf(owner);
  }

  list(collection: CollectionName, query: ListQuery): Eventually<RowsPage> {
    return this.#read(
      (records) => records.list(collection, query),
      () => this.#ask({ operation: 'list', collection, query }).then(pageIn),
    );
  }

  read(collection: CollectionName, id: string): Eventually<Outcome<string>> {
    return this.#read(
      (records) => records.read(collection, id),
      () => this.#ask({ operation: 'read', collection, id }).then(textIn),
    );
  }

  async create(collection: CollectionName, body: string): Promise<Outcome<string>> {
    return textIn(await this.#ask({ operation: 'create', collection }, body));
  }

  async update(collection: CollectionName, id: string, body: string): Promise<Outcome<string>> {
    return textIn(await this.#ask({ operation: 'update', collection, id }, body));
  }

  async delete(collection: CollectionName, id: string): Promise<Outcome<string>> {
    return textIn(await this.#ask({ operation: 'delete', collection, id }));
  }

  async payments(): Promise<RowsPage> {
    return pageIn(await this.#ask({ operation: 'payments' }));
  }

  async profile(): Promise<Outcome<AccountProfile>> {
    return profileIn(await this.#ask({ operation: 'profile' }));
  }

  /** The quick way: at once from memory, without a promise. `later` is the way that waits and forwards. */
  #read<T>(
    here: (records: AccountRecords) => Eventually<T>,
    later: () => Promise<T>,
  ): Eventually<T> {
    const held = this.#heldNow();
    if (held === undefined) return later();
    const answer = here(held.records.account(this.#owner, this.#sender));
    if (!(answer instanceof Promise)) return this.#heldNow() === held ? answer : later();
    return answer.then((value) => (this.#heldNow() === held ? value : later()));
  }

  /** An answer from memory counts if the shard is still held, and may be answered from, when it is made. */
  #heldNow(): HeldShard | undefined {
    return this.#context.fleet.routeOf(this.#shard)?.held;
  }

  /** Wherever the shard is, or comes to be. Fails with `STORAGE_UNAVAILABLE` where it is nowhere for too long. */
  async #ask(call: AccountCall, body = ''): Promise<Reply> {
    const { fleet, now } = this.#context;
    const givenUpAt = now() + WAIT_MAX_MS;
    for (;;) {
      if (this.#sender?.isDisconnected()) throw disconnected();
      const reply = await this.#once(call, body);
      if (reply !== undefined) return reply;
      const left = givenUpAt - now();
      if (left <= 0) throw unavailable();
      await fleet.changed(left);
    }
  }

  /** Undefined where nothing was done, so that it may be done elsewhere. */
  async #once(call: AccountCall, body: string): Promise<Reply | undefined> {
    const { fleet, peers } = this.#context;
    const route = fleet.routeOf(this.#shard);
    if (route === undefined) return undefined;
    if (route.held !== undefined) return this.#here(route.held, call, body);
    const { exchange } = this.#sender ?? {};
    if (exchange !== undefined) exchange.holder = route.peer.url;
    const sent = { owner: this.#owner, actor: this.#sender?.actor, call };
    const asked = await peers.ask(route.peer, sent, body);
    if (asked.kind === 'reply') return asked.reply;
    if (asked.kind === 'nothingDone' || isRead(call)) return undefined;
    return failureReply(NO_ANSWER.failure);
  }

  async #here(held: HeldShard, call: AccountCall, body: string): Promise<Reply | undefined> {
    const reply = await answerCall(held.records.account(this.#owner, this.#sender), call, body);
    return isOfMemory(reply, call) && this.#heldNow() !== held ? undefined : reply;
  }
}

/** Whether memory alone gave the answer: a change that was committed counts whoever holds the shard by now. */
export function isOfMemory({ head }: Reply, call: AccountCall): boolean {
  if (isRead(call)) return true;
  if (head.kind !== 'failure') return false;
  return ['NOT_FOUND', 'VALIDATION_FAILED', 'QUOTA_EXCEEDED'].includes(head.failure.code);
}

const NO_ANSWER = failed(
  'STORAGE_FAILED',
  'the process that holds the account gave no answer; read the record before trying again',
);

function disconnected(): FailureError {
  const { failure } = failed('BAD_REQUEST', 'the connection was closed before the answer was made');
  return new FailureError(failure);
}

function unavailable(): FailureError {
  const { failure } = failed(
    'STORAGE_UNAVAILABLE',
    'nothing was changed: no process of the fleet serves this account now; try again later',
  );
  return new FailureError({ ...failure, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

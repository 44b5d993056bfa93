// What an action gets to work with: an admitted request, its parts on demand.

import type { Context } from 'hono';
import type { CollectionName } from '../domain/collection-name.js';
import type { Outcome } from '../domain/errors.js';
import type { JsonObject } from '../domain/json.js';
import type { Query } from '../domain/listing.js';
import type { Eventually } from '../eventually.js';
import type { AccountRecords, OperatorViews, RecordStore } from '../records/record-store.js';
import type { Pause } from '../records/turns.js';
import type { Answer } from './answer.js';
import type { Principal } from './authentication.js';
import { ownerOf, queryOf } from './path.js';
import { type HostBindings, readJsonObject, streamReader } from './request-body.js';

export type RequestContext = Context<{ Bindings: HostBindings }>;

/** What actions reach besides the request. */
export interface Surroundings {
  readonly records: RecordStore;
  readonly status: ServiceStatus;
  readonly pause: Pause;
}

/** What the operator's health view says of the service itself. */
export interface ServiceStatus {
  uptimeSeconds(): number;
  readonly identityProviderConfigured: boolean;
  readonly adminConfigured: boolean;
}

export type Action = (call: Call) => Eventually<Answer>;

export class Call {
  readonly #context: RequestContext;
  readonly #collection: CollectionName | undefined;
  readonly #principal: Principal;
  readonly #surroundings: Surroundings;

  constructor(
    context: RequestContext,
    collection: CollectionName | undefined,
    principal: Principal,
    surroundings: Surroundings,
  ) {
    this.#context = context;
    this.#collection = collection;
    this.#principal = principal;
    this.#surroundings = surroundings;
  }

  /** The records that the request may touch: the caller's own, or those of the account that the operator names. */
  get account(): AccountRecords {
    const { records } = this.#surroundings;
    const principal = this.#principal;
    if (principal.kind === 'account') return records.account(principal.subject);
    if (principal.kind === 'operator') return records.account(this.owner, principal.actor);
    throw new Error('a route that admits anyone has no account');
  }

  get operator(): OperatorViews {
    return this.#surroundings.records.operator;
  }

  get status(): ServiceStatus {
    return this.#surroundings.status;
  }

  get collection(): CollectionName {
    return present(this.#collection, 'collection');
  }

  /** The record id in the path, decoded. */
  get id(): string {
    return present(this.#context.req.param('id'), 'id');
  }

  /** The account that an admin path names, decoded. */
  get owner(): string {
    return ownerOf(present(this.#context.req.param('owner_sub'), 'owner_sub'));
  }

  get query(): Query {
    return queryOf(this.#context.req.raw);
  }

  body(): Promise<Outcome<JsonObject>> {
    const read = this.#context.env?.readBody ?? streamReader(this.#context.req.raw);
    return readJsonObject(read, this.#surroundings.pause);
  }
}

function present<T>(part: T | undefined, name: string): T {
  if (part === undefined) throw new Error(`the route has no ${name}`);
  return part;
}

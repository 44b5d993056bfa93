// An admitted request as an action sees it. Its parts are made on demand.

import type { Context } from 'hono';
import type { Admission } from '../admission/admission.js';
import type { IsDisconnected } from '../admission/disconnected.js';
import type { FairScheduler } from '../admission/fair-scheduler.js';
import { runOf } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import type { Outcome } from '../domain/errors.js';
import type { Query } from '../domain/listing.js';
import type { Eventually } from '../eventually.js';
import type {
  AccountRecords,
  OperatorViews,
  RecordService,
  Sender,
} from '../records/record-service.js';
import type { Answer } from './answer.js';
import { type Principal, shareOf } from './authentication.js';
import { ownerOf, queryOf } from './path.js';
import { type HostBindings, readBodyText, streamReader } from './request-body.js';

export type RequestContext = Context<{ Bindings: HostBindings }>;

/** The parts that actions use besides the request. */
export interface ActionDependencies {
  readonly records: RecordService;
  readonly status: ServiceStatus;
  readonly scheduler: FairScheduler;
  readonly admission: Admission;
}

/** Facts of the service for the operator's health view. */
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
  readonly #dependencies: ActionDependencies;

  constructor(
    context: RequestContext,
    collection: CollectionName | undefined,
    principal: Principal,
    dependencies: ActionDependencies,
  ) {
    this.#context = context;
    this.#collection = collection;
    this.#principal = principal;
    this.#dependencies = dependencies;
  }

  /** The records that the request may touch: the caller's own, or those of the account that the operator names. */
  get account(): AccountRecords {
    const principal = this.#principal;
    const isOperator = principal.kind === 'operator';
    const sender: Sender = {
      actor: isOperator ? principal.actor : undefined,
      run: isOperator ? runOf(this.#context.req.raw.headers.get('x-service-run')) : undefined,
      isDisconnected: disconnectedCheck(this.#context),
    };
    const { records } = this.#dependencies;
    if (principal.kind === 'account') return records.account(principal.subject, sender);
    if (principal.kind === 'operator') return records.account(this.owner, sender);
    throw new Error('a route that admits anyone has no account');
  }

  get operator(): OperatorViews {
    return this.#dependencies.records.operator;
  }

  get status(): ServiceStatus {
    return this.#dependencies.status;
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

  /** Reads the body and acts on it. */
  async withBody(act: (body: string) => Promise<Outcome<string>>): Promise<Outcome<string>> {
    const { scheduler } = this.#dependencies;
    const read = this.#context.env?.readBody ?? streamReader(this.#context.req.raw);
    const turn = () =>
      scheduler.sliceUsed()
        ? scheduler.yield(shareOf(this.#principal), disconnectedCheck(this.#context))
        : undefined;
    const body = await readBodyText(read, turn);
    return body.ok ? act(body.value) : body;
  }
}

export function disconnectedCheck({ env, req }: RequestContext): IsDisconnected {
  return env?.isDisconnected ?? (() => req.raw.signal.aborted);
}

function present<T>(part: T | undefined, name: string): T {
  if (part === undefined) throw new Error(`the route has no ${name}`);
  return part;
}

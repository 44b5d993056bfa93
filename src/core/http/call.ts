// An admitted request as an action sees it. Its parts are made on demand.

import type { Context } from 'hono';
import type { Admission } from '../admission/admission.js';
import type { IsDisconnected } from '../admission/disconnected.js';
import type { FairScheduler } from '../admission/fair-scheduler.js';
import { runOf } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import type { Outcome } from '../domain/errors.js';
import type { Query } from '../domain/listing.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { AccountRecords, OperatorViews, RecordService } from '../records/record-service.js';
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

export type Action = (call: Call) => MaybePromise<Answer>;

interface CallParts {
  readonly context: RequestContext;
  readonly route: { readonly collection?: CollectionName };
  readonly principal: Principal;
  readonly isDisconnected: IsDisconnected;
  readonly dependencies: ActionDependencies;
}

export class Call {
  readonly #parts: CallParts;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** The records that the request may touch: the caller's own, or those of the account that the operator names. */
  get account(): AccountRecords {
    const { principal, context, isDisconnected, dependencies } = this.#parts;
    if (principal.kind === 'account') {
      return dependencies.records.account(principal.subject, { isDisconnected });
    }
    if (principal.kind === 'anyone') throw new Error('a route that admits anyone has no account');
    const run = runOf(context.req.raw.headers.get('x-service-run'));
    const sender = { actor: principal.actor, run, isDisconnected };
    return dependencies.records.account(this.owner, sender);
  }

  get operator(): OperatorViews {
    return this.#parts.dependencies.records.operator;
  }

  get status(): ServiceStatus {
    return this.#parts.dependencies.status;
  }

  get collection(): CollectionName {
    return present(this.#parts.route.collection, 'collection');
  }

  /** The record id in the path, decoded. */
  get id(): string {
    return present(this.#parts.context.req.param('id'), 'id');
  }

  /** The account that an admin path names, decoded. */
  get owner(): string {
    return ownerOf(present(this.#parts.context.req.param('owner_sub'), 'owner_sub'));
  }

  get query(): Query {
    return queryOf(this.#parts.context.req.raw);
  }

  /** Reads the body and acts on it. */
  async withBody(act: (body: string) => Promise<Outcome<string>>): Promise<Outcome<string>> {
    const { context, principal, isDisconnected, dependencies } = this.#parts;
    const { scheduler } = dependencies;
    const turn = () =>
      scheduler.sliceUsed() ? scheduler.yield(shareOf(principal), isDisconnected) : undefined;
    const read = context.env?.readBody ?? streamReader(context.req.raw);
    const body = await readBodyText(read, turn);
    return body.ok ? act(body.value) : body;
  }
}

function present<T>(part: T | undefined, name: string): T {
  if (part === undefined) throw new Error(`the route has no ${name}`);
  return part;
}

// An admitted request as an action sees it. Its parts are read on demand.

import type { Context } from 'hono';
import type { Admission } from '../admission/admission.js';
import type { FairScheduler, IsDisconnected } from '../admission/fair-scheduler.js';
import { runOf } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import type { Outcome } from '../domain/errors.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { AccountRecords, RecordService } from '../records/record-service.js';
import type { Answer } from './answer.js';
import type { Principal } from './authentication.js';
import { ownerOf } from './path.js';
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

export interface Call {
  readonly context: RequestContext;
  /** Undefined if the route names none. */
  readonly collection: CollectionName | undefined;
  readonly principal: Principal;
  readonly isDisconnected: IsDisconnected;
  readonly dependencies: ActionDependencies;
}

/** The records that the request may touch: the caller's own, or those of the account that the operator names. */
export function recordsOf(call: Call): AccountRecords {
  const { principal, context, isDisconnected, dependencies } = call;
  const { subject, actor } = principal;
  if (actor === undefined) return dependencies.records.account(subject, { isDisconnected });
  const run = runOf(context.req.raw.headers.get('x-service-run'));
  const owner = ownerOf(named(context.req.param('owner_sub')));
  return dependencies.records.account(owner, { actor, run, isDisconnected });
}

/** The record id in the path, decoded. */
export function idOf({ context }: Call): string {
  return named(context.req.param('id'));
}

/** What the path of the action's route always has; a route without it is a defect. */
export function named<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the route does not name what its action asks for');
  return part;
}

export function bodyOf(call: Call): Promise<Outcome<string>> {
  const { context, principal, isDisconnected, dependencies } = call;
  const { scheduler } = dependencies;
  return readBodyText(context.env?.readBody ?? streamReader(context.req.raw), () =>
    scheduler.sliceUsed() ? scheduler.yield(principal.subject, isDisconnected) : undefined,
  );
}

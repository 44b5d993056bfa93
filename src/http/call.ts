// What an action gets to work with: an admitted request, its parts on demand.

import type { CollectionName } from '../domain/collections.js';
import type { Outcome } from '../domain/errors.js';
import type { JsonObject } from '../domain/json.js';
import type { AccountRecords, OperatorViews } from '../records/record-store.js';
import type { Answer } from './answer.js';

export interface Call {
  /** The records of the account that the request may touch: its own, or the one the operator names. */
  account(): AccountRecords;
  readonly operator: OperatorViews;
  readonly status: ServiceStatus;
  /** The path's collection and record id, decoded. */
  collection(): CollectionName;
  id(): string;
  /** The account that an admin path names. */
  owner(): string;
  query(): URLSearchParams;
  body(): Promise<Outcome<JsonObject>>;
}

/** What the operator's health view says of the service itself. */
export interface ServiceStatus {
  uptimeSeconds(): number;
  readonly identityProviderConfigured: boolean;
  readonly adminConfigured: boolean;
}

export type Action = (call: Call) => Promise<Answer>;

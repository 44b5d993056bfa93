// The messages between the front, an account's object and the directory:
// plain values, since they cross to another machine and, during a deployment,
// to another version. Hence the rule of every shape here: properties may be
// added, none may be taken away or change its meaning, and whoever reads one
// ignores what it does not know.

import type { Actor } from '../domain/audit-event.js';
import type { CollectionName } from '../domain/collection-name.js';
import type { Outcome } from '../domain/errors.js';
import type { ListQuery, PageRequest } from '../domain/listing.js';
import type {
  AccountPage,
  AccountSummary,
  Overview,
  RecordCounts,
  Usage,
} from '../records/record-store.js';
import type { SentPage } from './sent-page.js';

/** One operation on an account's records, with whose they are: identity is never a header. */
export interface AccountCall {
  readonly owner: string;
  /** The operator, whose changes are audited; absent: the account itself. */
  readonly actor?: Actor | undefined;
  readonly operation: Operation;
}

/** Bodies are JSON texts. */
export type Operation =
  | { readonly name: 'list'; readonly collection: CollectionName; readonly query: ListQuery }
  | { readonly name: 'read'; readonly collection: CollectionName; readonly id: string }
  | { readonly name: 'create'; readonly collection: CollectionName; readonly body: string }
  | {
      readonly name: 'update';
      readonly collection: CollectionName;
      readonly id: string;
      readonly body: string;
    }
  | { readonly name: 'delete'; readonly collection: CollectionName; readonly id: string }
  | { readonly name: 'payments' }
  | { readonly name: 'profile' };

/** `unsupported`: the object is of a version that does not know the operation; nothing was done. */
export type AccountReply =
  | { readonly kind: 'outcome'; readonly outcome: Outcome<string> }
  | { readonly kind: 'page'; readonly page: SentPage }
  | { readonly kind: 'profile'; readonly outcome: Outcome<SentProfile> }
  | { readonly kind: 'unsupported' };

/** The operator's page of an account: its business records as texts, or, where they are long, as a page. */
export interface SentProfile {
  readonly summary: AccountSummary;
  readonly profiles?: readonly string[];
  readonly page?: SentPage;
}

/** An account's object, as its callers see it. */
export interface AccountStub {
  perform(call: AccountCall): Promise<AccountReply>;
  /** Sows the sample account if it is new; undefined where there is nothing to tell of it. */
  announce(owner: string): Promise<Delivery | undefined>;
}

/** The directory, as its callers see it. */
export interface DirectoryStub {
  apply(delivery: Delivery): Promise<Receipt>;
  overview(): Promise<Overview>;
  accounts(q: string, page: PageRequest): Promise<AccountPage>;
  usage(): Promise<Usage>;
  auditEvents(page: PageRequest): Promise<SentPage>;
  ping(): Promise<void>;
}

/** Everything that the directory keeps of an account, as of one revision. */
export interface Delivery {
  readonly owner: string;
  /** Commits so far. */
  readonly revision: number;
  /** The account's own records. */
  readonly counts: RecordCounts;
  /** Every stored row, by collection. */
  readonly holdings: Holdings;
  /** What a search for accounts looks at besides the subject, case-folded; absent: as before. */
  readonly searchTexts?: readonly string[];
  /** Audit events that the directory may not have yet, oldest first. */
  readonly events: readonly NumberedEvent[];
  /** The object was set back to an earlier state: its events are numbered again from `events` on. */
  readonly eventsAfter?: number;
}

export interface NumberedEvent {
  /** Order of events of this account. */
  readonly number: number;
  /** JSON text. */
  readonly event: string;
}

export type Holdings = Readonly<Record<CollectionName, Holding>>;

/** What is stored of one collection. */
export interface Holding {
  readonly records: number;
  /** UTF-8 bytes of the records. */
  readonly payloadBytes: number;
  /** Milliseconds since 1970, UTC; 0 where there is no record. */
  readonly updatedAt: number;
  /** Records created lately: hours since 1970 → how many. */
  readonly created: Readonly<Record<string, number>>;
}

/** What the directory has of an account after a delivery. */
export interface Receipt {
  readonly revision: number;
  /** Number of the last event. */
  readonly event: number;
}

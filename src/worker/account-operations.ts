// An operation of a call, done on an account's records.

import { type Outcome, succeeded } from '../domain/errors.js';
import type { RowsPage } from '../domain/listing.js';
import type { AccountProfile, AccountRecords } from '../records/record-store.js';
import type { AccountReply, Operation, SentProfile } from './account-call.js';
import { sentPage } from './sent-page.js';

/** Does what a call asks for. */
export async function performed(
  account: AccountRecords,
  operation: Operation,
): Promise<AccountReply> {
  switch (operation.name) {
    case 'list':
      return pageOf(await account.list(operation.collection, operation.query));
    case 'payments':
      return pageOf(await account.payments());
    case 'read':
      return outcomeOf(await account.read(operation.collection, operation.id));
    case 'create':
      return outcomeOf(await account.create(operation.collection, operation.body));
    case 'update':
      return outcomeOf(await account.update(operation.collection, operation.id, operation.body));
    case 'delete':
      return outcomeOf(await account.delete(operation.collection, operation.id));
    case 'profile':
      return { kind: 'profile', outcome: sentProfile(await account.profile()) };
    default:
      // A front of a later version may ask for an operation that this version does not have.
      return unsupported(operation);
  }
}

function outcomeOf(outcome: Outcome<string>): AccountReply {
  return { kind: 'outcome', outcome };
}

function pageOf(page: RowsPage): AccountReply {
  return { kind: 'page', page: sentPage(page) };
}

function sentProfile(outcome: Outcome<AccountProfile>): Outcome<SentProfile> {
  if (!outcome.ok) return outcome;
  const { summary, profiles } = outcome.value;
  const page = sentPage({ items: profiles, total: summary.resources.businesses });
  // A front of an earlier release reads the page under this name.
  return succeeded(
    page.items === undefined ? { summary, page } : { summary, profiles: page.items },
  );
}

function unsupported(_: never): AccountReply {
  return { kind: 'unsupported' };
}

// The name of one record of each collection, in types and in sentences.

import type { CollectionName } from '../domain/collection-name.js';

/** The tags of the operator's requests. */
export const ADMIN_VIEWS = 'Admin views';
export const ADMIN_RECORDS = 'Admin records';

export interface RecordName {
  /** In names of schemas and operations. */
  readonly one: string;
  readonly many: string;
  /** In sentences. */
  readonly phrase: string;
  readonly plural: string;
}

export const RECORD_NAMES: Readonly<Record<CollectionName, RecordName>> = {
  businesses: {
    one: 'Business',
    many: 'Businesses',
    phrase: 'a business profile',
    plural: 'business profiles',
  },
  customers: { one: 'Customer', many: 'Customers', phrase: 'a customer', plural: 'customers' },
  services: { one: 'Service', many: 'Services', phrase: 'a service on offer', plural: 'services' },
  orders: { one: 'Order', many: 'Orders', phrase: 'an order', plural: 'orders' },
  team: {
    one: 'TeamMember',
    many: 'TeamMembers',
    phrase: 'a member of the team',
    plural: 'members of the team',
  },
  expenses: { one: 'Expense', many: 'Expenses', phrase: 'an expense', plural: 'expenses' },
};

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

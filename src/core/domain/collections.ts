// The table of the six editable collections: their identifiers, properties, rules, defaults and names. The
// data API, the administration API, the stored ids, the OpenAPI document, the clients' types and the
// console are based on it. References between collections are plain text: "They are not verified, not
// foreign keys, and nothing cascades on change or delete."

import type { CollectionName } from './collection-name.js';
import * as field from './property.js';

/** A collection as the contract's two tables describe it ("Identifiers", "Fields and validation by collection"). */
export interface Collection {
  readonly idPrefix: string;
  readonly idDigitsMin: number;
  readonly names: RecordNames;
  /** The known properties, in the order of a form. "Unknown properties are accepted and preserved." */
  readonly properties: readonly field.Property[];
  /** Set on create if the caller's record has no such property. */
  readonly defaults: Readonly<Record<string, string | number | boolean>>;
  /** The columns of the console's lists, the record's name first. */
  readonly columns: readonly [string, ...string[]];
  /** "Business profiles also get `ownerSub` set to the same subject." */
  readonly mirrorsOwner?: boolean;
}

export interface RecordNames {
  /** In names of types, schemas and operations. */
  readonly one: string;
  readonly many: string;
  /** In sentences. */
  readonly phrase: string;
  readonly plural: string;
  /** Shorter names, for pages of one account: above a list of its records, and for one record. */
  readonly heading: string;
  readonly short: string;
}

/** Derives the names from the plural, except `others`. */
function names(plural: string, phrase: string, others: Partial<RecordNames> = {}): RecordNames {
  const short = plural.slice(0, -1);
  const many = capitalized(plural);
  return { one: capitalized(short), many, phrase, plural, heading: many, short, ...others };
}

export function capitalized(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

export const DEFAULT_CURRENCY = 'TZS';

const currency = field.text('Currency code', { default: DEFAULT_CURRENCY });

export const COLLECTIONS: Readonly<Record<CollectionName, Collection>> = {
  businesses: collection('BIZ-', 4, {
    names: names('business profiles', 'a business profile', {
      one: 'Business',
      many: 'Businesses',
      heading: 'Profiles',
      short: 'profile',
    }),
    properties: {
      businessName: field.text('Name of the business'),
      phone: field.text('Phone number, as text'),
      primaryTemplate: field.text('Which client-side template the business uses', {
        label: 'Template',
      }),
      templateVersion: field.number('Version of that template'),
      createdAt: field.moment('When the business was set up; ISO 8601'),
    },
    columns: ['businessName', 'phone', 'primaryTemplate', 'createdAt'],
    mirrorsOwner: true,
  }),
  customers: collection('CUS-', 4, {
    names: names('customers', 'a customer'),
    properties: {
      name: field.nonEmptyText('Name of the customer'),
      phone: field.nonEmptyText('Phone number, as text'),
      email: field.text('E-mail address', { label: 'E-mail' }),
      location: field.text('Where the customer lives or is served'),
    },
    columns: ['name', 'phone', 'location', 'email'],
  }),
  services: collection('SRV-', 2, {
    names: names('services', 'a service on offer'),
    properties: {
      name: field.nonEmptyText('Name of the service'),
      price: field.moneyAbove0('What it usually costs'),
      currency,
      active: field.flag('Whether the service is offered now', { default: true }),
      category: field.text('Group of services'),
      duration: field.text('How long it takes, in words'),
    },
    columns: ['name', 'category', 'duration', 'active', 'price'],
  }),
  orders: collection('ORD-', 4, {
    names: names('orders', 'an order'),
    properties: {
      customer: field.nonEmptyText('Name of the customer'),
      service: field.nonEmptyText('What is ordered'),
      amount: field.moneyAbove0('The sum to pay'),
      paid: field.money('The sum paid so far; may exceed `amount`', { default: 0 }),
      currency,
      status: field.text('Any label; workflows use `New`, `In progress`, `Ready`', {
        default: 'New',
      }),
      method: field.textOrNull('How it was paid, such as `M-Pesa`'),
      date: field.moment('When the order is due; ISO 8601'),
      assignee: field.text('Name of the team member who does the work'),
      phone: field.text("The customer's phone number"),
      templateId: field.text('Which template `customFields` follow', { label: 'Template' }),
      customFields: field.object('Properties that the template asks for, such as measurements'),
    },
    columns: ['customer', 'service', 'status', 'date', 'amount', 'paid'],
  }),
  team: collection('TM-', 4, {
    names: names('members of the team', 'a member of the team', {
      one: 'TeamMember',
      many: 'TeamMembers',
      heading: 'Team',
      short: 'team member',
    }),
    properties: {
      name: field.nonEmptyText('Name of the member'),
      phone: field.nonEmptyText('Phone number, as text'),
    },
    columns: ['name', 'phone', 'role'],
  }),
  expenses: collection('EXP-', 4, {
    names: names('expenses', 'an expense'),
    properties: {
      description: field.nonEmptyText('What was bought or paid for'),
      category: field.nonEmptyText('Group of expenses'),
      date: field.nonEmptyMoment('When it was paid; kept as text'),
      amount: field.moneyAbove0('The sum that was spent'),
      method: field.text('How it was paid, such as `Cash`'),
    },
    columns: ['description', 'category', 'date', 'method', 'amount'],
  }),
};

type Row = Pick<Collection, 'names' | 'columns' | 'mirrorsOwner'> & {
  readonly properties: Readonly<Record<string, Omit<field.Property, 'name' | 'label'>>>;
};

function collection(idPrefix: string, idDigitsMin: number, row: Row): Collection {
  const properties = Object.entries(row.properties).map(([name, property]) => {
    // `templateVersion` → `Template version`.
    const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return { name, label: capitalized(words), ...property };
  });
  const defaults = Object.fromEntries(
    properties.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]])),
  );
  return { ...row, idPrefix, idDigitsMin, properties, defaults };
}

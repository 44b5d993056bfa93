// The six editable collections, each in one place: its identifier, its properties, which of
// them are required, their defaults, its words. The data API, the administration API, the
// stored ids, the OpenAPI document, the clients' types and the operator's console read this
// table. References between collections are plain text: "They are not verified, not foreign
// keys, and nothing cascades on change or delete."

import * as z from 'zod';
import type { CollectionName } from './collection-name.js';
import {
  flag,
  moment,
  money,
  moneyAbove0,
  nonEmptyMoment,
  nonEmptyText,
  number,
  object,
  type Property,
  propertiesIn,
  text,
  textOrNull,
} from './property.js';

/** A collection as the contract's two tables describe it ("Identifiers", "Fields and validation by collection"). */
interface CollectionRow {
  readonly idPrefix: string;
  readonly idDigitsMin: number;
  readonly names: RecordNames;
  /**
   * The properties on which programs agree. Those that are neither optional nor have a
   * default are "Required on create (after merge on PATCH too)"; the others are kept as
   * they come: no type is checked. The object is loose: "Unknown properties are accepted
   * and preserved." A default is set on create if the caller's record has no such
   * property: "Default on create is `New`".
   */
  readonly record: z.ZodObject;
  /** The properties that a list for people shows, the record's name first. */
  readonly columns: readonly [string, ...string[]];
  /** The properties that a form for people begins with, where that is not the order of `record`. */
  readonly formStart?: readonly string[];
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
  /** Where the account is known: above a list of its records, and for one of them. */
  readonly heading: string;
  readonly short: string;
}

/** A row of the table, with what follows from its `record`. */
export interface Collection extends CollectionRow {
  readonly properties: readonly Property[];
  /** Names of the required properties. */
  readonly required: readonly string[];
  /** Judges the required properties alone. */
  readonly judge: z.ZodType;
  readonly defaults: Readonly<Record<string, string | number | boolean>>;
}

export const DEFAULT_CURRENCY = 'TZS';

const currency = text('Currency code').default(DEFAULT_CURRENCY);

export const COLLECTIONS: Readonly<Record<CollectionName, Collection>> = {
  businesses: collection({
    idPrefix: 'BIZ-',
    idDigitsMin: 4,
    names: {
      one: 'Business',
      many: 'Businesses',
      phrase: 'a business profile',
      plural: 'business profiles',
      heading: 'Profiles',
      short: 'profile',
    },
    record: z.looseObject({
      businessName: text('Name of the business').optional(),
      phone: text('Phone number, as text').optional(),
      primaryTemplate: text('Which client-side template the business uses', 'Template').optional(),
      templateVersion: number('Version of that template').optional(),
      createdAt: moment('When the business was set up').optional(),
    }),
    columns: ['businessName', 'phone', 'primaryTemplate', 'createdAt'],
    mirrorsOwner: true,
  }),
  customers: collection({
    idPrefix: 'CUS-',
    idDigitsMin: 4,
    names: {
      one: 'Customer',
      many: 'Customers',
      phrase: 'a customer',
      plural: 'customers',
      heading: 'Customers',
      short: 'customer',
    },
    record: z.looseObject({
      name: nonEmptyText('Name of the customer'),
      phone: nonEmptyText('Phone number, as text'),
      email: text('E-mail address', 'E-mail').optional(),
      location: text('Where the customer lives or is served').optional(),
    }),
    columns: ['name', 'phone', 'location', 'email'],
  }),
  services: collection({
    idPrefix: 'SRV-',
    idDigitsMin: 2,
    names: {
      one: 'Service',
      many: 'Services',
      phrase: 'a service on offer',
      plural: 'services',
      heading: 'Services',
      short: 'service',
    },
    record: z.looseObject({
      name: nonEmptyText('Name of the service'),
      price: moneyAbove0('What it usually costs'),
      currency,
      active: flag('Whether the service is offered now').default(true),
      category: text('Group of services').optional(),
      duration: text('How long it takes, in words').optional(),
    }),
    columns: ['name', 'category', 'duration', 'active', 'price'],
  }),
  orders: collection({
    idPrefix: 'ORD-',
    idDigitsMin: 4,
    names: {
      one: 'Order',
      many: 'Orders',
      phrase: 'an order',
      plural: 'orders',
      heading: 'Orders',
      short: 'order',
    },
    record: z.looseObject({
      customer: nonEmptyText('Name of the customer'),
      service: nonEmptyText('What is ordered'),
      amount: moneyAbove0('The sum to pay'),
      status: text('Any label; workflows use `New`, `In progress`, `Ready`').default('New'),
      paid: money('The sum paid so far; may exceed `amount`').default(0),
      currency,
      phone: text("The customer's phone number").optional(),
      date: moment('When the order is due').optional(),
      method: textOrNull('How it was paid, such as `M-Pesa`').optional(),
      assignee: text('Name of the team member who does the work').optional(),
      templateId: text('Which template `customFields` follow', 'Template').optional(),
      customFields: object(
        'Properties that the template asks for, such as measurements',
      ).optional(),
    }),
    columns: ['customer', 'service', 'status', 'date', 'amount', 'paid'],
    formStart: [
      'customer',
      'service',
      'amount',
      'paid',
      'currency',
      'status',
      'method',
      'date',
      'assignee',
    ],
  }),
  team: collection({
    idPrefix: 'TM-',
    idDigitsMin: 4,
    names: {
      one: 'TeamMember',
      many: 'TeamMembers',
      phrase: 'a member of the team',
      plural: 'members of the team',
      heading: 'Team',
      short: 'team member',
    },
    record: z.looseObject({
      name: nonEmptyText('Name of the member'),
      phone: nonEmptyText('Phone number, as text'),
    }),
    columns: ['name', 'phone', 'role'],
  }),
  expenses: collection({
    idPrefix: 'EXP-',
    idDigitsMin: 4,
    names: {
      one: 'Expense',
      many: 'Expenses',
      phrase: 'an expense',
      plural: 'expenses',
      heading: 'Expenses',
      short: 'expense',
    },
    record: z.looseObject({
      description: nonEmptyText('What was bought or paid for'),
      category: nonEmptyText('Group of expenses'),
      date: nonEmptyMoment('When it was paid; kept as text'),
      amount: moneyAbove0('The sum that was spent'),
      method: text('How it was paid, such as `Cash`').optional(),
    }),
    columns: ['description', 'category', 'date', 'method', 'amount'],
    formStart: ['description', 'category', 'amount'],
  }),
};

function collection(row: CollectionRow): Collection {
  const properties = propertiesIn(row.record);
  const required = properties.filter(({ isRequired }) => isRequired);
  return {
    ...row,
    properties,
    required: required.map(({ name }) => name),
    judge: z.object(Object.fromEntries(required.map(({ name, schema }) => [name, schema]))),
    defaults: Object.fromEntries(
      properties.flatMap(({ name, default: value }) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
  };
}

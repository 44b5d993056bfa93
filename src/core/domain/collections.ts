// The six editable collections, each in one place: its identifier, its properties, which of
// them are required, their defaults, its words. The data API, the administration API, the
// stored ids, the OpenAPI document, the clients' types and the operator's console read this
// table. References between collections are plain text: "They are not verified, not foreign
// keys, and nothing cascades on change or delete."

import * as z from 'zod';
import type { CollectionName } from './collection-name.js';
import * as kind from './property.js';

/** A collection as the contract's two tables describe it ("Identifiers", "Fields and validation by collection"). */
interface CollectionRow {
  readonly names: RecordNames;
  /**
   * The properties on which programs agree, in the order of a form for people. Those that are
   * neither optional nor have a default are "Required on create (after merge on PATCH too)"; the
   * type of the others is not checked. "Unknown properties are accepted and preserved." A default
   * is set on create if the caller's record has no such property.
   */
  readonly record: z.ZodObject;
  /** The properties that a list for people shows, the record's name first. */
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
  /** Where the account is known: above a list of its records, and for one of them. */
  readonly heading: string;
  readonly short: string;
}

/** The names of a collection whose records are called as itself. */
function names(plural: string, phrase = `a ${plural.slice(0, -1)}`): RecordNames {
  const short = plural.slice(0, -1);
  const many = kind.capitalized(plural);
  return { one: kind.capitalized(short), many, phrase, plural, heading: many, short };
}

/** A row of the table, with what follows from its `record`. */
export interface Collection extends CollectionRow {
  readonly idPrefix: string;
  readonly idDigitsMin: number;
  readonly properties: readonly kind.Property[];
  /** Names of the required properties. */
  readonly required: readonly string[];
  /** Of the required properties. */
  readonly rules: readonly (kind.Rule & { readonly name: string })[];
  readonly defaults: Readonly<Record<string, string | number | boolean>>;
}

export const DEFAULT_CURRENCY = 'TZS';

const currency = kind.text('Currency code').default(DEFAULT_CURRENCY);

export const COLLECTIONS: Readonly<Record<CollectionName, Collection>> = {
  businesses: collection('BIZ-', 4, {
    names: {
      one: 'Business',
      many: 'Businesses',
      phrase: 'a business profile',
      plural: 'business profiles',
      heading: 'Profiles',
      short: 'profile',
    },
    record: z.looseObject({
      businessName: kind.text('Name of the business').optional(),
      phone: kind.text('Phone number, as text').optional(),
      primaryTemplate: kind
        .text('Which client-side template the business uses', 'Template')
        .optional(),
      templateVersion: kind.number('Version of that template').optional(),
      createdAt: kind.moment('When the business was set up').optional(),
    }),
    columns: ['businessName', 'phone', 'primaryTemplate', 'createdAt'],
    mirrorsOwner: true,
  }),
  customers: collection('CUS-', 4, {
    names: names('customers'),
    record: z.looseObject({
      name: kind.nonEmptyText('Name of the customer'),
      phone: kind.nonEmptyText('Phone number, as text'),
      email: kind.text('E-mail address', 'E-mail').optional(),
      location: kind.text('Where the customer lives or is served').optional(),
    }),
    columns: ['name', 'phone', 'location', 'email'],
  }),
  services: collection('SRV-', 2, {
    names: names('services', 'a service on offer'),
    record: z.looseObject({
      name: kind.nonEmptyText('Name of the service'),
      price: kind.moneyAbove0('What it usually costs'),
      currency,
      active: kind.flag('Whether the service is offered now').default(true),
      category: kind.text('Group of services').optional(),
      duration: kind.text('How long it takes, in words').optional(),
    }),
    columns: ['name', 'category', 'duration', 'active', 'price'],
  }),
  orders: collection('ORD-', 4, {
    names: names('orders', 'an order'),
    record: z.looseObject({
      customer: kind.nonEmptyText('Name of the customer'),
      service: kind.nonEmptyText('What is ordered'),
      amount: kind.moneyAbove0('The sum to pay'),
      paid: kind.money('The sum paid so far; may exceed `amount`').default(0),
      currency,
      status: kind.text('Any label; workflows use `New`, `In progress`, `Ready`').default('New'),
      method: kind.textOrNull('How it was paid, such as `M-Pesa`').optional(),
      date: kind.moment('When the order is due').optional(),
      assignee: kind.text('Name of the team member who does the work').optional(),
      phone: kind.text("The customer's phone number").optional(),
      templateId: kind.text('Which template `customFields` follow', 'Template').optional(),
      customFields: kind
        .object('Properties that the template asks for, such as measurements')
        .optional(),
    }),
    columns: ['customer', 'service', 'status', 'date', 'amount', 'paid'],
  }),
  team: collection('TM-', 4, {
    names: {
      one: 'TeamMember',
      many: 'TeamMembers',
      phrase: 'a member of the team',
      plural: 'members of the team',
      heading: 'Team',
      short: 'team member',
    },
    record: z.looseObject({
      name: kind.nonEmptyText('Name of the member'),
      phone: kind.nonEmptyText('Phone number, as text'),
    }),
    columns: ['name', 'phone', 'role'],
  }),
  expenses: collection('EXP-', 4, {
    names: names('expenses', 'an expense'),
    record: z.looseObject({
      description: kind.nonEmptyText('What was bought or paid for'),
      category: kind.nonEmptyText('Group of expenses'),
      date: kind.nonEmptyText('When it was paid; kept as text', 'moment'),
      amount: kind.moneyAbove0('The sum that was spent'),
      method: kind.text('How it was paid, such as `Cash`').optional(),
    }),
    columns: ['description', 'category', 'date', 'method', 'amount'],
  }),
};

function collection(idPrefix: string, idDigitsMin: number, row: CollectionRow): Collection {
  const properties = kind.propertiesIn(row.record);
  const required = properties.filter(({ isRequired }) => isRequired);
  return {
    ...row,
    idPrefix,
    idDigitsMin,
    properties,
    required: required.map(({ name }) => name),
    rules: required.flatMap(({ name, rule }) => (rule === undefined ? [] : [{ name, ...rule }])),
    defaults: Object.fromEntries(
      properties.flatMap(({ name, default: value }) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
  };
}

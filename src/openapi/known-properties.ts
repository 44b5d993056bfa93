// The contract's column "Other properties known": properties on which programs
// agree. The service keeps them as they come and checks none of them.

import * as z from 'zod';
import type { CollectionName } from '../domain/collection-name.js';

const text = (description: string) => z.string().meta({ description });
const moment = (description: string) =>
  text(`${description}; ISO 8601`).meta({ examples: ['2026-01-12T08:00:00Z'] });
const currency = text('Currency code');

export const KNOWN_PROPERTIES = {
  businesses: z.looseObject({
    businessName: text('Name of the business'),
    phone: text('Phone number, as text'),
    primaryTemplate: text('Which client-side template the business uses'),
    templateVersion: z.number().meta({ description: 'Version of that template' }),
    createdAt: moment('When the business was set up'),
  }),
  customers: z.looseObject({
    email: text('E-mail address'),
    location: text('Where the customer lives or is served'),
  }),
  services: z.looseObject({
    currency,
    active: z.boolean().meta({ description: 'Whether the service is offered now' }),
    category: text('Group of services'),
    duration: text('How long it takes, in words'),
  }),
  orders: z.looseObject({
    status: text('Any label; workflows use `New`, `In progress`, `Ready`'),
    paid: z.number().meta({ description: 'The sum paid so far; may exceed `amount`' }),
    currency,
    phone: text("The customer's phone number"),
    date: moment('When the order is due'),
    method: z.string().nullable().meta({ description: 'How it was paid, such as `M-Pesa`' }),
    assignee: text('Name of the team member who does the work'),
    templateId: text('Which template `customFields` follow'),
    // Nullable: otherwise some generators send `{}` with a change that does not name it.
    customFields: z
      .looseObject({})
      .nullable()
      .meta({ description: 'Properties that the template asks for, such as measurements' }),
  }),
  team: z.looseObject({}),
  expenses: z.looseObject({
    method: text('How it was paid, such as `Cash`'),
  }),
} as const satisfies Record<CollectionName, z.ZodObject>;

// The types of the records of each collection: what a create takes, and what an
// answer holds. test/client/client-types.test.ts holds them to src/core/domain/collections.ts.
// They name the properties that the contract knows, so that a slip in a name does not
// compile. Null clears a property that is optional; one with a default always has a value.
// A program's own properties are declared: see `OwnProperties`.

import type { RecordOf } from './stored.js';

export interface NewBusiness {
  /** Name of the business. */
  businessName?: string | null | undefined;
  /** Phone number, as text. */
  phone?: string | null | undefined;
  /** Which client-side template the business uses. */
  primaryTemplate?: string | null | undefined;
  /** Version of that template. */
  templateVersion?: number | null | undefined;
  /** When the business was set up; ISO 8601. */
  createdAt?: string | null | undefined;
}

export interface NewCustomer {
  /** Name of the customer. Not empty. */
  name: string;
  /** Phone number, as text. Not empty. */
  phone: string;
  /** E-mail address. */
  email?: string | null | undefined;
  /** Where the customer lives or is served. */
  location?: string | null | undefined;
}

export interface NewService {
  /** Name of the service. Not empty. */
  name: string;
  /** What it usually costs. Above 0. */
  price: number;
  /** Currency code. Default: TZS. */
  currency?: string | undefined;
  /** Whether the service is offered now. Default: true. */
  active?: boolean | undefined;
  /** Group of services. */
  category?: string | null | undefined;
  /** How long it takes, in words. */
  duration?: string | null | undefined;
}

export interface NewOrder {
  /** Name of the customer. Not empty. */
  customer: string;
  /** What is ordered. Not empty. */
  service: string;
  /** The sum to pay. Above 0. */
  amount: number;
  /** Any label; workflows use `New`, `In progress`, `Ready`. Default: New. */
  status?: string | undefined;
  /** The sum paid so far; may exceed `amount`. Default: 0. */
  paid?: number | undefined;
  /** Currency code. Default: TZS. */
  currency?: string | undefined;
  /** The customer's phone number. */
  phone?: string | null | undefined;
  /** When the order is due; ISO 8601. */
  date?: string | null | undefined;
  /** How it was paid, such as `M-Pesa`. */
  method?: string | null | undefined;
  /** Name of the team member who does the work. */
  assignee?: string | null | undefined;
  /** Which template `customFields` follow. */
  templateId?: string | null | undefined;
  /** Properties that the template asks for, such as measurements. */
  customFields?: Record<string, unknown> | null | undefined;
}

export interface NewTeamMember {
  /** Name of the member. Not empty. */
  name: string;
  /** Phone number, as text. Not empty. */
  phone: string;
}

export interface NewExpense {
  /** What was bought or paid for. Not empty. */
  description: string;
  /** Group of expenses. Not empty. */
  category: string;
  /** When it was paid; kept as text. Not empty. */
  date: string;
  /** The sum that was spent. Above 0. */
  amount: number;
  /** How it was paid, such as `Cash`. */
  method?: string | null | undefined;
}

export interface Business extends RecordOf<NewBusiness> {
  readonly ownerSub: string;
}
export interface Customer extends RecordOf<NewCustomer> {}
export interface Service extends RecordOf<NewService, 'currency' | 'active'> {}
export interface Order extends RecordOf<NewOrder, 'status' | 'paid' | 'currency'> {}
export interface TeamMember extends RecordOf<NewTeamMember> {}
export interface Expense extends RecordOf<NewExpense> {}

/** The body of a create and the stored record, by collection. */
export interface Collections {
  businesses: { body: NewBusiness; record: Business };
  customers: { body: NewCustomer; record: Customer };
  services: { body: NewService; record: Service };
  orders: { body: NewOrder; record: Order };
  team: { body: NewTeamMember; record: TeamMember };
  expenses: { body: NewExpense; record: Expense };
}

/** The default export, because `export type *` leaves it out: the clients export types alone. */
const NAMES = [
  'businesses',
  'customers',
  'services',
  'orders',
  'team',
  'expenses',
] as const satisfies readonly (keyof Collections)[];

export default NAMES;

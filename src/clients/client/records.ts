// The types of the records of each collection: what a create takes, and what an
// answer holds. test/client/client-types.test.ts holds them to src/core/domain/collections.ts.
// They name the properties that the contract knows, so that a misspelled name doesn't
// compile. Null clears a property that is optional; one with a default always has a value.
// A program's own properties are declared: see `OwnProperties`.

export interface NewBusiness {
  businessName?: string | null | undefined;
  phone?: string | null | undefined;
  /** A template of the client. */
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
  email?: string | null | undefined;
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
  phone?: string | null | undefined;
  /** When the order is due; ISO 8601. */
  date?: string | null | undefined;
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
  method?: string | null | undefined;
}

/** The properties of every stored record. */
export interface Stored {
  readonly id: string;
  /** The account that the record belongs to. */
  readonly owner_sub: string;
}

/** A record that was created from such a body. `Set`: the properties that the service sets if the body doesn't. */
export type RecordOf<Body, Set extends keyof Body = never> = Stored & {
  [Name in keyof Body as Name extends Set ? never : Name]: Exclude<Body[Name], undefined>;
} & { [Name in Set]-?: Exclude<Body[Name], undefined> };

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

export type CollectionName = keyof Collections;

/**
 * The properties that a program adds to records, by collection: the type parameter
 * of `createClient`. `{ orders: { table?: number } }` adds one to orders;
 * `AnyProperties` takes every property of every record.
 */
export type OwnProperties = { readonly [Name in CollectionName]?: object };
export type AnyProperties = { readonly [Name in CollectionName]: Record<string, unknown> };

type Added<Own, Name extends CollectionName> = Name extends keyof Own ? Own[Name] : unknown;

/** The body of a create. */
export type NewOf<
  Name extends CollectionName,
  Own extends OwnProperties = object,
> = Collections[Name]['body'] & Added<Own, Name>;

/** A stored record. */
export type RecordIn<
  Name extends CollectionName,
  Own extends OwnProperties = object,
> = Collections[Name]['record'] & Added<Own, Name>;

/** The body of a PATCH: any of a create's properties. Undefined leaves one unchanged. */
export type Changes<Body> = { [Name in keyof Body]?: Body[Name] | undefined };

/** One order's payment, computed by the service. */
export interface Payment {
  readonly id: string;
  readonly order_id: string;
  readonly customer: string;
  readonly amount: number;
  readonly paid: number;
  /** `amount - paid`; negative if too much was paid. */
  readonly due: number;
  readonly currency: string;
  readonly method: string | null;
  readonly status: 'paid' | 'pending';
}

export interface Health {
  readonly status: string;
  readonly service: string;
  readonly version: string;
  readonly time_zone: string;
  readonly currency: string;
}

// The types of the records of each collection: what a create takes, and what an
// answer holds. They name the properties that the contract knows, so that a slip in
// a name does not compile. A program's own properties are declared: see `OwnProperties`.

/** The properties of every stored record. */
export interface Stored {
  readonly id: string;
  /** The account that the record belongs to. */
  readonly owner_sub: string;
}

export interface NewBusiness {
  businessName?: string | undefined;
  phone?: string | undefined;
  primaryTemplate?: string | undefined;
  templateVersion?: number | undefined;
  /** ISO 8601. */
  createdAt?: string | undefined;
}

export interface NewCustomer {
  /** Not empty. */
  name: string;
  /** Not empty. */
  phone: string;
  email?: string | undefined;
  location?: string | undefined;
}

export interface NewService {
  /** Not empty. */
  name: string;
  /** Above 0. */
  price: number;
  /** Default: TZS. */
  currency?: string | undefined;
  /** Default: true. */
  active?: boolean | undefined;
  category?: string | undefined;
  duration?: string | undefined;
}

export interface NewOrder {
  /** Not empty. */
  customer: string;
  /** Not empty. */
  service: string;
  /** Above 0. */
  amount: number;
  /** Any label. Default: New. */
  status?: string | undefined;
  /** Default: 0. */
  paid?: number | undefined;
  /** Default: TZS. */
  currency?: string | undefined;
  phone?: string | undefined;
  /** ISO 8601. */
  date?: string | undefined;
  method?: string | null | undefined;
  assignee?: string | undefined;
  templateId?: string | undefined;
  customFields?: Record<string, unknown> | undefined;
}

export interface NewTeamMember {
  /** Not empty. */
  name: string;
  /** Not empty. */
  phone: string;
}

export interface NewExpense {
  /** Not empty. */
  description: string;
  /** Not empty. */
  category: string;
  /** Not empty; kept as text. */
  date: string;
  /** Above 0. */
  amount: number;
  method?: string | undefined;
}

/** A record that was created from such a body. `Set`: the properties that the service sets where the body does not. */
type RecordOf<Body, Set extends keyof Body = never> = Stored & {
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

/** What a program adds to the records of a collection. */
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

/** The body of a PATCH: some of the properties of a create. One that is undefined stays as it is. */
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

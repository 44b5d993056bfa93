// The types of the records of each collection. Every record is open: the service
// also keeps properties that are not named here.

/** The properties of every stored record. */
export interface Stored {
  readonly id: string;
  /** The account that the record belongs to. */
  readonly owner_sub: string;
}

/** Any other property; JSON values only. */
interface Open {
  [property: string]: unknown;
}

export interface NewBusiness extends Open {
  businessName?: string;
  phone?: string;
  primaryTemplate?: string;
  templateVersion?: number;
  /** ISO 8601. */
  createdAt?: string;
}

export interface NewCustomer extends Open {
  /** Not empty. */
  name: string;
  /** Not empty. */
  phone: string;
  email?: string;
  location?: string;
}

export interface NewService extends Open {
  /** Not empty. */
  name: string;
  /** Above 0. */
  price: number;
  /** Default: TZS. */
  currency?: string;
  /** Default: true. */
  active?: boolean;
  category?: string;
  duration?: string;
}

export interface NewOrder extends Open {
  /** Not empty. */
  customer: string;
  /** Not empty. */
  service: string;
  /** Above 0. */
  amount: number;
  /** Any label. Default: New. */
  status?: string;
  /** Default: 0. */
  paid?: number;
  /** Default: TZS. */
  currency?: string;
  phone?: string;
  /** ISO 8601. */
  date?: string;
  method?: string | null;
  assignee?: string;
  templateId?: string;
  customFields?: Record<string, unknown>;
}

export interface NewTeamMember extends Open {
  /** Not empty. */
  name: string;
  /** Not empty. */
  phone: string;
}

export interface NewExpense extends Open {
  /** Not empty. */
  description: string;
  /** Not empty. */
  category: string;
  /** Not empty; kept as text. */
  date: string;
  /** Above 0. */
  amount: number;
  method?: string;
}

export type Business = Stored & { readonly ownerSub: string } & NewBusiness;
export type Customer = Stored & NewCustomer;
export type Service = Stored & NewService;
export type Order = Stored & NewOrder;
export type TeamMember = Stored & NewTeamMember;
export type Expense = Stored & NewExpense;

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

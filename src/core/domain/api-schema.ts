// The records, payments and views as the clients and the operator's views type them.
// Made from the OpenAPI document by `npm run types`: change src/core/domain/collections.ts or
// src/clients/openapi, and run it again.

import type { NewRecord, RecordBase } from './stored-record.js';

export type RecordCounts = Readonly<Record<keyof Collections, number>>;

export type UsageByCollection = Readonly<Record<keyof Collections, ResourceUsage>>;

export interface Pagination {
  readonly page: number;
  /** Maximum number of rows on a page */
  readonly page_size: number;
  /** Number of rows on all pages */
  readonly total: number;
  /** 0 if there are no rows */
  readonly total_pages: number;
}

export interface ResourceUsage {
  readonly records: number;
  /** UTF-8 bytes of the serialized records */
  readonly payload_bytes: number;
  readonly created_last_24_hours: number;
  readonly created_last_7_days: number;
  readonly created_last_30_days: number;
  /** RFC 3339, UTC, with up to nine decimals; null if there is no record */
  readonly last_updated_at: string | null;
}

export interface Overview {
  /** Accounts that own a record */
  readonly tenant_count: number;
  /** Every stored row, rows without an owner included */
  readonly record_count: number;
  readonly resources: RecordCounts;
}

export interface Usage {
  readonly record_count: number;
  readonly payload_bytes: number;
  readonly resources: UsageByCollection;
  readonly audit_event_count: number;
}

export interface AccountSummary {
  /** The account, by its subject */
  readonly owner_sub: string;
  readonly record_count: number;
  readonly resources: RecordCounts;
}

/** One change by the operator, or a restore, whose `record_id` is the name of the backup. */
export interface AuditEvent {
  readonly id: number;
  /** `admin`, `restore`; more may come */
  readonly actor: 'admin' | 'restore';
  /** `create`, `update`, `delete`, `restore`; more may come */
  readonly action: 'create' | 'update' | 'delete' | 'restore';
  /** `businesses`, `customers`, `services`, `orders`, `team`, `expenses`, `database`; more may come */
  readonly resource: keyof Collections | 'database';
  readonly record_id: string;
  /** The account, by its subject */
  readonly owner_sub: string;
  /** RFC 3339, UTC, with up to nine decimals */
  readonly timestamp: string;
  /** Names of properties, never values; long ones are cut */
  readonly changed: string[];
  /** How many more names there are */
  readonly changed_omitted?: number;
  /** The import or erasure that the change belongs to */
  readonly run?: string;
}

/** A business profile, open to any other property. `ownerSub` holds the same text as `owner_sub`. */
export interface Business extends RecordBase {
  /** Name of the business. By convention: the service does not check it */
  businessName?: string | null;
  /** Phone number, as text. By convention: the service does not check it */
  phone?: string | null;
  /** Which client-side template the business uses. By convention: the service does not check it */
  primaryTemplate?: string | null;
  /** Version of that template. By convention: the service does not check it */
  templateVersion?: number | null;
  /** When the business was set up; ISO 8601. By convention: the service does not check it */
  createdAt?: string | null;
  readonly ownerSub: string;
}

/** A customer, open to any other property. */
export interface Customer extends RecordBase {
  /** Name of the customer. Not empty */
  name: string;
  /** Phone number, as text. Not empty */
  phone: string;
  /** E-mail address. By convention: the service does not check it */
  email?: string | null;
  /** Where the customer lives or is served. By convention: the service does not check it */
  location?: string | null;
}

/** A service on offer, open to any other property. */
export interface Service extends RecordBase {
  /** Name of the service. Not empty */
  name: string;
  /** What it usually costs. Above 0 */
  price: number;
  /** Currency code. Default: `TZS`. By convention: the service does not check it */
  currency: string;
  /** Whether the service is offered now. Default: `true`. By convention: the service does not check it */
  active: boolean;
  /** Group of services. By convention: the service does not check it */
  category?: string | null;
  /** How long it takes, in words. By convention: the service does not check it */
  duration?: string | null;
}

/** An order, open to any other property. */
export interface Order extends RecordBase {
  /** Name of the customer. Not empty */
  customer: string;
  /** What is ordered. Not empty */
  service: string;
  /** The sum to pay. Above 0 */
  amount: number;
  /** The sum paid so far; may exceed `amount`. Default: `0`. By convention: the service does not check it */
  paid: number;
  /** Currency code. Default: `TZS`. By convention: the service does not check it */
  currency: string;
  /** Any label; workflows use `New`, `In progress`, `Ready`. Default: `New`. By convention: the service does not check it */
  status: string;
  /** How it was paid, such as `M-Pesa`. By convention: the service does not check it */
  method?: string | null;
  /** When the order is due; ISO 8601. By convention: the service does not check it */
  date?: string | null;
  /** Name of the team member who does the work. By convention: the service does not check it */
  assignee?: string | null;
  /** The customer's phone number. By convention: the service does not check it */
  phone?: string | null;
  /** Which template `customFields` follow. By convention: the service does not check it */
  templateId?: string | null;
  /** Properties that the template asks for, such as measurements. By convention: the service does not check it */
  customFields?: Record<string, unknown> | null;
}

/** A member of the team, open to any other property. */
export interface TeamMember extends RecordBase {
  /** Name of the member. Not empty */
  name: string;
  /** Phone number, as text. Not empty */
  phone: string;
}

/** An expense, open to any other property. */
export interface Expense extends RecordBase {
  /** What was bought or paid for. Not empty */
  description: string;
  /** Group of expenses. Not empty */
  category: string;
  /** When it was paid; kept as text. Not empty */
  date: string;
  /** The sum that was spent. Above 0 */
  amount: number;
  /** How it was paid, such as `Cash`. By convention: the service does not check it */
  method?: string | null;
}

export interface Health {
  /** Always `ok` */
  readonly status: string;
  /** Always `service-management-api` */
  readonly service: string;
  /** Always `v1` */
  readonly version: string;
  /** Always `Africa/Dar_es_Salaam` */
  readonly time_zone: string;
  /** Always `TZS` */
  readonly currency: string;
}

export interface Account {
  /** The account, by its subject */
  readonly owner_sub: string;
  readonly record_count: number;
  readonly resources: RecordCounts;
  readonly profiles: Business[];
}

export interface AdminHealth {
  readonly status: 'ok' | 'degraded';
  readonly database: 'ok' | 'unavailable';
  readonly uptime_seconds: number;
  readonly identity_provider_configured: boolean;
  readonly admin_configured: boolean;
}

/** One row for each order, computed from it and never stored. */
export interface Payment {
  /** `PAY-` and the order's number */
  readonly id: string;
  readonly order_id: string;
  /** The order's `customer` */
  readonly customer: string;
  /** The order's `amount`; 0 if that is not a number */
  readonly amount: number;
  /** The order's `paid`; 0 if that is not a number */
  readonly paid: number;
  /** `amount - paid`; negative if overpaid */
  readonly due: number;
  /** The order's `currency` */
  readonly currency: string;
  /** The order's `method`; null if it has none */
  readonly method: string | null;
  /** `paid` when `paid >= amount` */
  readonly status: 'paid' | 'pending';
}

export type NewBusiness = NewRecord<Business>;
export type NewCustomer = NewRecord<Customer, 'name' | 'phone'>;
export type NewService = NewRecord<Service, 'name' | 'price'>;
export type NewOrder = NewRecord<Order, 'customer' | 'service' | 'amount'>;
export type NewTeamMember = NewRecord<TeamMember, 'name' | 'phone'>;
export type NewExpense = NewRecord<Expense, 'description' | 'category' | 'date' | 'amount'>;

/** The body of a create and the stored record, by collection. */
export interface Collections {
  businesses: { body: NewBusiness; record: Business };
  customers: { body: NewCustomer; record: Customer };
  services: { body: NewService; record: Service };
  orders: { body: NewOrder; record: Order };
  team: { body: NewTeamMember; record: TeamMember };
  expenses: { body: NewExpense; record: Expense };
}

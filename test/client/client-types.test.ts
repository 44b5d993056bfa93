// The client's types, checked by the compiler, and held to the OpenAPI document.

import type * as api from 'service-management-api/client';
import { ApiError, createClient } from 'service-management-api/client';
import type * as operator from 'service-management-api/operator-client';
import { createOperatorClient } from 'service-management-api/operator-client';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import NAMES from '../../src/clients/client/records.js';
import { COLLECTION_NAMES } from '../../src/core/domain/collection-name.js';
import type { ErrorCode } from '../../src/core/domain/errors.js';
import type { VIEW_SCHEMAS } from '../../src/core/domain/operator-views.js';
import type * as payment from '../../src/core/domain/payment.js';
import { DOCUMENT, typedViolation } from '../support/openapi-document.js';

/** The properties that a type names. */
type Named<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };
type RequiredKeys<T> = {
  [Key in keyof Named<T>]-?: object extends Pick<Named<T>, Key> ? never : Key;
}[keyof Named<T>];

/** A value of every property that the type names, and which of them it requires: the compiler knows of each that is missing or too many. */
interface Whole<T> {
  readonly value: Required<Named<T>>;
  readonly required: Readonly<Record<RequiredKeys<T> & string, true>>;
}

const text = 'some text';

const BODIES = {
  NewBusiness: {
    value: {
      businessName: text,
      phone: text,
      primaryTemplate: text,
      templateVersion: 1,
      createdAt: text,
    },
    required: {},
  } satisfies Whole<api.NewBusiness>,
  NewCustomer: {
    value: { name: text, phone: text, email: text, location: text },
    required: { name: true, phone: true },
  } satisfies Whole<api.NewCustomer>,
  NewService: {
    value: { name: text, price: 1, currency: text, active: true, category: text, duration: text },
    required: { name: true, price: true },
  } satisfies Whole<api.NewService>,
  NewOrder: {
    value: {
      customer: text,
      service: text,
      amount: 1,
      status: text,
      paid: 0,
      currency: text,
      phone: text,
      date: text,
      method: null,
      assignee: text,
      templateId: text,
      customFields: {},
    },
    required: { customer: true, service: true, amount: true },
  } satisfies Whole<api.NewOrder>,
  NewTeamMember: {
    value: { name: text, phone: text },
    required: { name: true, phone: true },
  } satisfies Whole<api.NewTeamMember>,
  NewExpense: {
    value: { description: text, category: text, date: text, amount: 1, method: text },
    required: { description: true, category: true, date: true, amount: true },
  } satisfies Whole<api.NewExpense>,
};

describe('The type of a body', () => {
  it.each(Object.entries(BODIES))(
    '%s has the properties of the OpenAPI document',
    (name, { value, required }) => {
      const schema = DOCUMENT.components['schemas']?.[name] as {
        properties: object;
        required?: string[];
      };
      expect(Object.keys(value).sort()).toEqual(Object.keys(schema.properties).sort());
      expect(Object.keys(required)).toEqual(schema.required ?? []);
      expect(typedViolation(value, `/components/schemas/${name}`)).toBeUndefined();
    },
  );
});

type ViewSchemas = typeof VIEW_SCHEMAS;
type Answers = { [Name in keyof ViewSchemas]: z.output<ViewSchemas[Name]> };
interface Types {
  RecordCounts: operator.RecordCounts;
  ResourceUsage: operator.ResourceUsage;
  UsageByCollection: operator.UsageByCollection;
  Overview: operator.Overview;
  Usage: operator.Usage;
  AccountSummary: operator.AccountSummary;
  AuditEvent: operator.AuditEvent;
}
type Keys<T> = { -readonly [Name in keyof T]: keyof T[Name] };

describe("The types of the operator's views", () => {
  it('are those of the schemas, property by property', () => {
    expectTypeOf<Answers>().toExtend<Types>();
    expectTypeOf<Keys<Answers>>().toEqualTypeOf<Keys<Types>>();
  });
});

it('The clients have every collection', () => {
  expect(NAMES).toEqual(COLLECTION_NAMES);
});

describe('The client', () => {
  const client = createClient({ baseUrl: 'http://localhost/api/v1', token: '' });
  const forOperator = createOperatorClient({ baseUrl: 'http://localhost/api/v1', adminKey: '' });

  it('types the records of each collection', () => {
    expectTypeOf(client.orders.read).returns.resolves.toEqualTypeOf<api.Order>();
    expectTypeOf(client.orders.list).returns.resolves.toEqualTypeOf<api.Page<api.Order>>();
    expectTypeOf(client.team.all).returns.toEqualTypeOf<
      AsyncGenerator<api.TeamMember, void, undefined>
    >();
    expectTypeOf(client.customers.create).parameter(0).toEqualTypeOf<api.NewCustomer>();
    expectTypeOf(client.payments.list).returns.resolves.toEqualTypeOf<api.Page<api.Payment>>();
    expectTypeOf<api.Order['amount']>().toEqualTypeOf<number>();
    expectTypeOf<api.Order['phone']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<api.Business['ownerSub']>().toEqualTypeOf<string>();
  });

  it('has every property that the service always sets', () => {
    expectTypeOf<api.Order['status']>().toEqualTypeOf<string>();
    expectTypeOf<api.Order['paid']>().toEqualTypeOf<number>();
    expectTypeOf<api.Order['currency'] | api.Service['currency']>().toEqualTypeOf<string>();
    expectTypeOf<api.Service['active']>().toEqualTypeOf<boolean>();
    expectTypeOf<keyof Omit<api.Order, 'id'>>().toEqualTypeOf<Exclude<keyof api.Order, 'id'>>();
  });

  it('accepts the properties that a program declares, and for the operator any property', () => {
    const own = createClient<{ customers: { likes?: string[] } }>({ baseUrl: '', token: '' });
    expectTypeOf(own.customers.read).returns.resolves.toExtend<{ likes?: string[] }>();
    expectTypeOf(own.orders.read).returns.resolves.toExtend<api.Order>();
    const { orders } = forOperator.recordsOf('somebody');
    expectTypeOf(orders.read).returns.resolves.toExtend<api.Order & Record<string, unknown>>();
  });

  it('narrows an ApiError by its code', () => {
    type With<Code> = Extract<ApiError, { code: Code }>;
    expectTypeOf<(ApiError & { code: 'NOT_FOUND' })['status']>().toEqualTypeOf<number>();
    expectTypeOf<With<'VALIDATION_FAILED'>['fields']>().toEqualTypeOf<api.FieldProblems>();
    expectTypeOf<(ApiError & { code: 'TIMED_OUT' })['requestId']>().toEqualTypeOf<undefined>();
    const caught: unknown = undefined;
    if (caught instanceof ApiError) expectTypeOf(caught).toEqualTypeOf<api.ApiError>();
  });

  it('types a token as text or a function of it', () => {
    expectTypeOf<api.ClientOptions['token']>().toEqualTypeOf<
      string | ((refused?: string) => string | Promise<string>)
    >();
  });

  it('knows every error code of the service', () => {
    expectTypeOf<api.ServiceErrorCode>().toEqualTypeOf<ErrorCode>();
    expectTypeOf<ApiError['code']>().toEqualTypeOf<api.ServiceErrorCode | api.ClientErrorCode>();
  });

  it("types the operator's views and payments as the service does", () => {
    expectTypeOf(forOperator.overview).returns.resolves.toEqualTypeOf<operator.Overview>();
    expectTypeOf(forOperator.accounts.list).returns.resolves.toEqualTypeOf<
      operator.Page<operator.AccountSummary>
    >();
    expectTypeOf(forOperator.audit.list).parameter(0).not.toHaveProperty('q');
    expectTypeOf<keyof api.Payment>().toEqualTypeOf<keyof payment.Payment>();
  });

  it("has no status filter on the operator's side, as the API has none there", () => {
    expectTypeOf<operator.OperatorListQuery>().not.toHaveProperty('status');
    expectTypeOf<api.ListQuery>().toHaveProperty('status');
  });
});

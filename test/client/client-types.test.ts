// What the compiler accepts and rejects in programs that use the built declarations.
// test/house/api-types.test.ts compares the types with the OpenAPI document.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type * as api from 'service-management-api/client';
import { createClient } from 'service-management-api/client';
import type * as operator from 'service-management-api/operator-client';
import { createOperatorClient } from 'service-management-api/operator-client';
import { expect, expectTypeOf, it, onTestFinished } from 'vitest';
import type { paymentOf } from '../../src/core/domain/payment.js';
import { ROOT } from '../support/pages.js';
import { openProject } from '../support/project.js';

it('The clients type the result of each call', () => {
  const client = createClient({ baseUrl: '', token: '' });
  const forOperator = createOperatorClient({ baseUrl: '', adminKey: '' });
  expectTypeOf(client.orders.list).returns.resolves.toEqualTypeOf<api.Page<api.Order>>();
  expectTypeOf<keyof api.Payment>().toEqualTypeOf<keyof ReturnType<typeof paymentOf>>();
  expectTypeOf<api.Order['phone']>().toEqualTypeOf<string | null | undefined>();
  expectTypeOf(forOperator.overview).returns.resolves.toEqualTypeOf<operator.Overview>();
  expectTypeOf(forOperator.audit.list).parameter(0).not.toHaveProperty('q');
});

const HEAD = `import { ApiError, createClient } from 'service-management-api/client';
import type { AnyProperties, Order } from 'service-management-api/client';
import { createOperatorClient } from 'service-management-api/operator-client';
const options = { baseUrl: 'http://localhost/api/v1', token: '' };
const api = createClient(options);
const own = createClient<{ orders: { table?: number }, team: { role: string } }>(options);
const any = createClient<AnyProperties>(options);
const operator = createOperatorClient({ baseUrl: '', adminKey: '' }).recordsOf('somebody');
declare const order: Order;
declare const error: unknown;
const body = { customer: 'A', service: 'B', amount: 1 };
`;
const HEAD_LINES = HEAD.split('\n').length;

const SLIPS = [
  `api.orders.create({ ...body, stauts: 'New' });`,
  `api.orders.create({ customer: 'A', service: 'B' });`,
  `api.orders.update('ORD-1', { owner_sub: 'me' });`,
  `api.orders.update('ORD-1', { customer: null });`,
  `api.customers.read('CUS-1').then(({ email }) => email?.length.toFixed() ?? email.length);`,
  `if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') error.fields['name']?.reason === 'mising';`,
  `api.orders.list({ stauts: 'New' });`,
  `api.orders.all({ page: 2 });`,
  `own.customers.create({ name: 'A', phone: '1', table: 4 });`,
  `createClient<{ oders: { table: number } }>(options).orders.create({ ...body, table: 4 });`,
  `operator.orders.create({ ...body, paid: '1' });`,
  `if (error instanceof ApiError && error.code === 'NOT_FUND') throw error;`,
  `if (error instanceof ApiError && error.code === 'NOT_FOUND') error.fields;`,
  `if (error instanceof ApiError && error.code === 'TIMED_OUT') error.status.toFixed();`,
];

const FINE = [
  `api.orders.create({ ...body, status: undefined, phone: undefined });`,
  `api.orders.list({ status: undefined, q: undefined, page: undefined }, { signal: undefined });`,
  `api.orders.update('ORD-1', { paid: 1, method: null, amount: undefined });`,
  `api.payments.due().then(([first]) => first?.due.toFixed());`,
  `const { id, owner_sub, ...rest } = order; api.orders.create(rest);`,
  `const left: Omit<Order, 'id'> = order; const due: number = left.amount - left.paid; due;`,
  `own.orders.create({ ...body, table: 4 }).then(({ table }) => table?.toFixed());`,
  `any.orders.create({ ...body, anything: { at: ['all'] } }).then((made) => made['anything']);`,
  `operator.orders.update('ORD-1', { anything: 1 });`,
  `if (error instanceof ApiError && error.code === 'NOT_FOUND') { const status: number = error.status; status; error.requestId.length; }`,
  `if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') error.fields['name']?.message.length;`,
  `createClient({ ...options, fetch: async (...args) => new Response(new Request(...args).body) });`,
];

it('The compiler rejects each of these mistakes, and accepts each of these lines', async () => {
  const program = (lines: readonly string[]) =>
    `${HEAD}${lines.map((line) => `{ ${line} }`).join('\n')}\n`;
  const files = { 'slips.ts': program(SLIPS), 'fine.ts': program(FINE) };
  const project = await openProject(files);
  onTestFinished(() => project.remove());
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const options =
    '--noEmit --strict --exactOptionalPropertyTypes --target ES2022 --lib ES2022,DOM --module NodeNext --types';
  const args = [tsc, ...options.split(' '), '', ...Object.keys(files)];
  const run = promisify(execFile)(process.execPath, args, { cwd: project.path });
  const { stdout } = await run.catch((failed: { stdout: string }) => failed);
  const found = [...stdout.matchAll(/^(\w+)\.ts\((\d+),/gm)].map(([, file, line]) =>
    file === 'slips' ? SLIPS[Number(line) - HEAD_LINES] : `${file}.ts, line ${line}`,
  );
  expect([...new Set(found)]).toEqual(SLIPS);
});

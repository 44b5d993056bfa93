// What the client's types refuse, and what they must not refuse: each line is a
// program of its own, compiled against the built declarations.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from 'service-management-api/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/pages.js';
import { openProject } from '../support/project.js';
import type { TemporaryFolder } from '../support/temporary-folder.js';

const HEAD = `
import { ApiError, createClient } from 'service-management-api/client';
import type { AnyProperties, Order, NewOrder } from 'service-management-api/client';
import { createOperatorClient } from 'service-management-api/operator-client';
const options = { baseUrl: 'http://localhost/api/v1', token: '' };
const api = createClient(options);
const own = createClient<{ orders: { table?: number }, team: { role: string } }>(options);
const any = createClient<AnyProperties>(options);
const operator = createOperatorClient({ baseUrl: '', adminKey: '' }).recordsOf('somebody');
declare const order: Order;
declare const error: unknown;
export const body = { customer: 'A', service: 'B', amount: 1 };
`;

const SLIPS = [
  `api.orders.create({ ...body, stauts: 'New' });`,
  `api.orders.create({ customer: 'A', service: 'B' });`,
  `api.orders.create({ ...body, amount: '1' });`,
  `api.orders.create({ ...body, table: 4 });`,
  `api.orders.update('ORD-1', { piad: 1 });`,
  `api.orders.update('ORD-1', { owner_sub: 'me' });`,
  `api.orders.update('ORD-1', { id: 'ORD-2' });`,
  `api.orders.update('ORD-1', { paid: '1' });`,
  `api.orders.update('ORD-1', { customer: null });`,
  `api.orders.update('ORD-1', { paid: null });`,
  `api.customers.read('CUS-1').then(({ email }) => email?.length.toFixed() ?? email.length);`,
  `if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') error.fields['name']?.reason === 'mising';`,
  `api.orders.list({ stauts: 'New' });`,
  `api.orders.all({ page: 2 });`,
  `api.order.list();`,
  `api.businesses.create({ bussinessName: 'A' });`,
  `own.orders.create({ ...body, tabel: 4 });`,
  `own.orders.create({ ...body, table: 'four' });`,
  `own.customers.create({ name: 'A', phone: '1', table: 4 });`,
  `own.team.create({ name: 'A', phone: '1' });`,
  `createClient<{ oders: { table: number } }>(options).orders.create({ ...body, table: 4 });`,
  `any.orders.create({ ...body, amount: '1' });`,
  `operator.orders.create({ ...body, paid: '1' });`,
  `order.stauts;`,
  `if (error instanceof ApiError && error.code === 'NOT_FUOND') throw error;`,
  `if (error instanceof ApiError && error.code === 'NOT_FOUND') error.fields;`,
  `if (error instanceof ApiError && error.code === 'TIMED_OUT') error.status.toFixed();`,
  `if (error instanceof ApiError) error.requestId.length;`,
];

const FINE = [
  `api.orders.create({ ...body, status: undefined, phone: undefined });`,
  `api.orders.list({ status: undefined, q: undefined, page: undefined }, { signal: undefined });`,
  `api.orders.update('ORD-1', { paid: 1, method: null, amount: undefined });`,
  `api.customers.update('CUS-1', { email: null, location: null });`,
  `any.customers.update('CUS-1', { email: null });`,
  `operator.customers.update('CUS-1', { email: null });`,
  `api.businesses.create({ businessName: null, templateVersion: null });`,
  `api.payments.due().then(([first]) => first?.due.toFixed());`,
  `createClient({ ...options, token: async (refused) => refused ?? '' });`,
  `const { id, owner_sub, ...rest } = order; api.orders.create(rest);`,
  `const changes: Partial<NewOrder> = { paid: 1 }; api.orders.update('ORD-1', changes);`,
  `const paid: number = order.paid; const label: string = order.status + order.currency; paid; label;`,
  `const left: Omit<Order, 'id'> = order; const due: number = left.amount - left.paid; due;`,
  `api.services.read('SRV-01').then(({ active, currency }) => { const on: boolean = active; on; currency.length; });`,
  `own.orders.create({ ...body, table: 4 }).then(({ table }) => table?.toFixed());`,
  `own.orders.update('ORD-1', { table: 5 });`,
  `own.customers.create({ name: 'A', phone: '1' });`,
  `own.team.update('TM-1', { role: 'cook' });`,
  `any.orders.create({ ...body, anything: { at: ['all'] } }).then((made) => made['anything']);`,
  `operator.orders.update('ORD-1', { anything: 1 });`,
  `if (error instanceof ApiError && error.code === 'NOT_FOUND') { const status: number = error.status; status; error.requestId.length; }`,
  `if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') error.fields['name']?.message.length;`,
  `if (error instanceof ApiError && error.code === 'RATE_LIMITED') error.retryAfterMs?.toFixed();`,
  `createClient({ ...options, fetch: async (...args) => new Response(new Request(...args).body) });`,
];

const OPTIONS =
  '--noEmit --strict --exactOptionalPropertyTypes --target ES2022 --lib ES2022,DOM --types --module NodeNext';

describe('The compiler', () => {
  let project: TemporaryFolder;
  let report = '';

  beforeAll(async () => {
    expect(createClient).toBeTypeOf('function');
    const programs = (name: string, lines: readonly string[]) =>
      lines.map((line, i) => [`${name}-${i}.ts`, `${HEAD}${line}\n`] as const);
    const files = [...programs('slip', SLIPS), ...programs('fine', FINE)];
    project = await openProject(Object.fromEntries(files));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const names = files.map(([name]) => name);
    report = await promisify(execFile)(
      process.execPath,
      [
        tsc,
        ...OPTIONS.split(' ').flatMap((word) => (word === '--types' ? [word, ''] : [word])),
        ...names,
      ],
      { cwd: project.path },
    ).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
  });
  afterAll(() => project.remove());

  /** What it says of the line under test; other lines must be right. */
  function complaintsAbout(file: string): string[] {
    const line = HEAD.split('\n').length;
    const found = report.split('\n').filter((text) => text.startsWith(`${file}(`));
    expect(found.filter((text) => !text.startsWith(`${file}(${line},`))).toEqual([]);
    return found;
  }

  it.each(SLIPS.map((code, i) => [code, i] as const))('refuses %s', (_, i) => {
    expect(complaintsAbout(`slip-${i}.ts`)).not.toEqual([]);
  });

  it.each(FINE.map((code, i) => [code, i] as const))('takes %s', (_, i) => {
    expect(complaintsAbout(`fine-${i}.ts`)).toEqual([]);
  });
});

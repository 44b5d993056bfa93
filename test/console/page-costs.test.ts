// What the console's pages cost: bytes to the browser, and requests to the service.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOperatorClient } from '../../src/operator-client.js';
import {
  ADMIN_KEY,
  type OpenConsole,
  openConsole,
  portOf,
  type Visitor,
} from '../support/console-visitor.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { Metrics, operationsOf } from '../support/operations.js';

const PAGE_MAX_BYTES = 30_000;
const REQUESTS_OF_AN_OVERVIEW = 3;
const OVERVIEWS = 5;
/** Several pages of orders and of the audit log. */
const ORDERS = 120;
const NOTE = 'rangi ya kahawia, saa tatu';

let service: NodeService;
let console_: OpenConsole;
let visitor: Visitor;
let operations: string;

beforeAll(async () => {
  service = await openNodeService();
  const server = await service.start({ ADMIN_API_KEY: ADMIN_KEY, OPS_PORT: '0' });
  operations = operationsOf(server);
  const baseUrl = `${server.origin}/api/v1`;
  const { orders } = createOperatorClient({ baseUrl, adminKey: ADMIN_KEY }).recordsOf('shop-77');
  for (let i = 0; i < ORDERS; i++) {
    await orders.create({
      customer: `Mteja ${i}`,
      service: 'Kusuka',
      amount: 1_000 + i,
      note: NOTE,
    });
  }
  console_ = await openConsole({ SERVICE_URL: baseUrl, ...portOf(operations) });
  visitor = await console_.signedIn();
});
afterAll(async () => {
  await console_?.close();
  await service?.close();
});

it.each([
  ['the overview', '/'],
  ['the accounts', '/accounts'],
  ['a search of accounts', '/accounts?q=shop-77'],
  ['an account', '/accounts/shop-77/orders'],
  ['a record', '/accounts/shop-77/orders/ORD-0020'],
  ['a form', '/accounts/shop-77/orders/ORD-0020/change'],
  ['the audit log', '/audit'],
  ['the health page', '/health'],
])('%s is less than 30,000 bytes', async (_name, path) => {
  const { status, text } = await visitor.get(path);
  expect(status).toBe(200);
  expect(Buffer.byteLength(text)).toBeLessThan(PAGE_MAX_BYTES);
});

it.each([
  ['console.css', 10_000],
  ['page-script.js', 1_500],
])('%s, which every page loads once, is less than %i bytes', (name, bytes) => {
  const file = readFileSync(new URL(`../../dist/console/${name}`, import.meta.url));
  expect(file.length).toBeLessThan(bytes);
});

it('An overview asks the service three times', async () => {
  const asked = async () => (await Metrics.of(operations)).total('service_http_requests_total');
  const before = await asked();
  for (let load = 0; load < OVERVIEWS; load++) await visitor.get('/');
  const requests = (await asked()) - before;
  expect(requests).toBeGreaterThanOrEqual(OVERVIEWS * REQUESTS_OF_AN_OVERVIEW);
  // The totals of the last minute, which the console asks for by itself.
  expect(requests).toBeLessThanOrEqual(OVERVIEWS * REQUESTS_OF_AN_OVERVIEW + 1);
});

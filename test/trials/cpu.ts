// The trial `cpu`: sends the most expensive requests that are known and measures how long
// each of them blocks the event loop, and with it every other client.

import { join } from 'node:path';
import { runSql } from '../../scripts/run-sql.js';
import { FILL_COLUMNS } from '../../src/storage/file/file-schema.js';
import { asAccount, openIdentityProvider } from './service/identity-provider.js';
import type { Service } from './service/probed-service.js';
import { startService } from './service/probed-service.js';
import { ADMIN_KEY } from './service/service-process.js';
import type { Finding, Trial } from './trial.js';

const P99_MAX_MS = 50;
const WORST_MAX_MS = 250;
const MEBIBYTE = 1_048_576;
const OWNER = 'busy';
const LONG_ORDERS = 5;
const OPERATOR = { 'X-Service-Admin-Key': ADMIN_KEY };

export interface Sizes {
  /** Customers of one account. */
  records: number;
  /** Orders of the same account. */
  orders: number;
  /** Other accounts, each with one business. */
  tenants: number;
  /** Records of 1 MiB on one page. */
  large: number;
  /** How often each request is sent alone. It is sent half as often four times at once. */
  rounds: number;
}

const FULL: Sizes = { records: 100_000, orders: 200_000, tenants: 200_000, large: 100, rounds: 20 };
const SMALL: Sizes = { records: 20_000, orders: 20_000, tenants: 20_000, large: 20, rounds: 5 };

export interface CostlyRequest {
  what: string;
  path: string;
  init?: RequestInit;
  status: number;
  /**
   * Whether single calls of the JSON parser and writer, and garbage collection after them,
   * take most of the time. Nothing can interrupt these. Sent without a pause they fill the
   * 99th percentile as well, so only the maximum is judged.
   */
  isParsing?: boolean;
}

export const cpu: Trial = ({ quick, folder, say }) =>
  costliestRequests(quick ? SMALL : FULL, folder, say);

export async function costliestRequests(
  sizes: Sizes,
  folder: string,
  say: (text: string) => void = () => {},
): Promise<Finding[]> {
  const identity = await openIdentityProvider();
  const file = join(folder, 'service.db');
  const environment = { DATABASE_URL: `file:${file}`, AUTH_USERINFO_URL: identity.url };
  const empty = await startService(environment);
  await empty.stop();
  say('filling the database');
  await runSql(file, ...fill(sizes));
  const service = await startService(environment);
  try {
    const findings: Finding[] = [];
    await longOrders(service);
    for (const request of costlyRequests(sizes, await grownRecord(service))) {
      say(request.what);
      findings.push(await measured(service, request, sizes.rounds));
    }
    return findings;
  } finally {
    await service.stop();
    await identity.close();
  }
}

/** Sends the request alone, then four times at once. */
async function measured(
  service: Service,
  { what, path, init = {}, status, isParsing = false }: CostlyRequest,
  rounds: number,
): Promise<Finding> {
  const wrong = new Set();
  const send = async () => {
    const headers = { ...(path.startsWith('/admin') ? OPERATOR : asAccount(OWNER)) };
    const response = await fetch(`${service.origin}/api/v1${path}`, { ...init, headers });
    for await (const _ of response.body ?? []);
    if (response.status !== status) wrong.add(response.status);
  };
  await send();
  const { p99Ms, maxMs } = await service.delayDuring(async () => {
    for (let i = 0; i < rounds; i++) await send();
    for (let i = 0; i < rounds / 2; i++) await Promise.all([send(), send(), send(), send()]);
  });
  return {
    fault: what,
    tried: `${rounds} alone, ${Math.ceil(rounds / 2)} times four at once`,
    found: `event loop late by ${p99Ms.toFixed(1)} ms (p99), ${maxMs.toFixed(0)} ms at most${wrong.size > 0 ? `, answered ${[...wrong]}` : ''}`,
    holds: (p99Ms < P99_MAX_MS || isParsing) && maxMs < WORST_MAX_MS && wrong.size === 0,
  };
}

function costlyRequests(sizes: Sizes, grown: string): CostlyRequest[] {
  const needle = encodeURIComponent('a'.repeat(15_000));
  const post = (body: string) => ({ method: 'POST', body });
  return [
    {
      what: `the worst q in ${sizes.large} records of 1 MiB`,
      path: `/team?q=${needle}`,
      status: 200,
    },
    { what: `a page of ${sizes.large} records of 1 MiB`, path: '/team?page_size=100', status: 200 },
    {
      what: `a search in ${sizes.records} records`,
      path: '/customers?q=nobody%20has%20this',
      status: 200,
    },
    {
      what: `a search that ${sizes.records} records match`,
      path: '/customers?q=n&page=9999',
      status: 200,
    },
    { what: `a status among ${sizes.orders} orders`, path: '/orders?status=Ready', status: 200 },
    {
      what: `payments of ${sizes.orders} orders, ${LONG_ORDERS} of them of 1 MiB of tiny members`,
      path: '/payments',
      status: 200,
    },
    {
      what: `the last page of ${sizes.tenants} accounts`,
      path: `/admin/accounts?page_size=200&page=${Math.floor(sizes.tenants / 200)}`,
      status: 200,
    },
    {
      what: `a search in ${sizes.tenants} accounts`,
      path: '/admin/accounts?q=nobody%20has%20this',
      status: 200,
    },
    {
      what: `a search that ${sizes.tenants} accounts match`,
      path: '/admin/accounts?q=tenant',
      status: 200,
    },
    { what: `an overview of ${sizes.tenants} accounts`, path: '/admin/overview', status: 200 },
    {
      what: `usage of ${sizes.tenants + sizes.orders + sizes.records} records`,
      path: '/admin/usage',
      status: 200,
    },
    {
      what: 'a bracket bomb of 1 MiB',
      path: '/businesses',
      init: post('['.repeat(MEBIBYTE)),
      status: 400,
    },
    {
      what: 'a body of 1 MiB of brackets side by side',
      path: '/businesses',
      init: post(filled('{"a":[', '[],', '[]]}')),
      status: 201,
      isParsing: true,
    },
    {
      what: 'a body of 1 MiB of tiny members',
      path: '/businesses',
      init: post(tinyMembers()),
      status: 201,
      isParsing: true,
    },
    {
      what: 'a body of 1 MiB of one name',
      path: '/businesses',
      init: post(filled('{', '"a":0,', '"a":0}')),
      status: 201,
    },
    {
      what: 'a body of 1 MiB of numbers',
      path: '/businesses',
      init: post(filled('{"a":[', '1e9,', '0]}')),
      status: 201,
    },
    {
      what: 'a body of 1 MiB of escapes',
      path: '/businesses',
      init: post(filled('{"a":"', '\\u0001', '"}')),
      status: 201,
    },
    {
      what: 'a body of 1 MiB of small objects',
      path: '/businesses',
      init: post(filled('{"a":[', '{"b":1},', '{}]}')),
      status: 201,
      isParsing: true,
    },
    {
      what: 'a PATCH of a record of 2 MiB of tiny members',
      path: `/businesses/${grown}`,
      init: { method: 'PATCH', body: '{"0":1}' },
      status: 200,
    },
    {
      what: 'a body of 1 MiB that ends in nonsense',
      path: '/businesses',
      init: post(`${tinyMembers().slice(0, -2)}!`),
      status: 400,
    },
  ];
}

/** A record of the largest size that PATCHes can reach, with as many properties as fit. */
async function grownRecord(service: Service) {
  const { data } = await send(service, 'POST', '/businesses', tinyMembers());
  await send(service, 'PATCH', `/businesses/${data.id}`, tinyMembers('_', MEBIBYTE - 1_000));
  return String(data.id);
}

async function longOrders(service: Service) {
  const members = tinyMembers('_', MEBIBYTE - 100).slice(1);
  for (let i = 0; i < LONG_ORDERS; i++) {
    await send(service, 'POST', '/orders', `{"customer":"a","service":"b","amount":1,${members}`);
  }
}

async function send({ origin }: Service, method: string, path: string, body: string) {
  const headers = asAccount(OWNER);
  const response = await fetch(`${origin}/api/v1${path}`, { method, headers, body });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return JSON.parse(await response.text());
}

/** 1 MiB of JSON: a start, one piece repeated, an end. */
function filled(start: string, piece: string, end: string) {
  const room = MEBIBYTE - start.length - end.length;
  return start + piece.repeat(Math.floor(room / piece.length)) + end;
}

/** A JSON object with as many short members as fit; every name is different. */
function tinyMembers(prefix = '', bytes = MEBIBYTE) {
  const members: string[] = [];
  for (let size = 2; ; ) {
    const member = `"${prefix}${members.length.toString(36)}":0`;
    size += member.length + 1;
    if (size > bytes) return `{${members.join(',')}}`;
    members.push(member);
  }
}

/** Statements that fill the database. Hundreds of thousands of requests would take minutes. */
function fill({ records, orders, tenants, large }: Sizes) {
  const total = records + orders + tenants + large;
  const [o, t, l] = [records, records + orders, records + orders + tenants];
  return [
    'pragma synchronous = off',
    'delete from records',
    `insert into records (position, collection, id, body, created_at, updated_at)
     with recursive
       numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < ${total}),
       placed as (
         select n, case when n < ${o} then 'customers' when n < ${t} then 'orders'
           when n < ${l} then 'businesses' else 'team' end as collection from numbers),
       named as (
         select n, collection, printf('%s%04d', case collection when 'customers' then 'CUS-'
           when 'orders' then 'ORD-' when 'businesses' then 'BIZ-' else 'TM-' end, n + 1) as id,
           case collection when 'businesses' then printf('tenant-%06d', (n * 7919) % 1000003) else '${OWNER}' end as owner
         from placed)
     select n + 1, collection, id, case collection
       when 'orders' then json_object('id', id, 'owner_sub', owner, 'customer', 'Neema Mushi',
         'service', 'Box braids', 'amount', 45000, 'paid', n % 2 * 45000, 'status',
         case n % 3 when 0 then 'New' else 'Ready' end, 'currency', 'TZS', 'phone', '+255 713 445 210')
       when 'team' then json_object('id', id, 'owner_sub', owner, 'name', 'Ally', 'phone', '1',
         'note', replace(hex(zeroblob(${MEBIBYTE / 2 - 64})), '0', 'a'))
       when 'businesses' then json_object('id', id, 'owner_sub', owner, 'ownerSub', owner,
         'businessName', printf('Saluni %06d', n), 'phone', '+255 713 445 210')
       else json_object('id', id, 'owner_sub', owner, 'name', printf('Neema %06d', n),
         'phone', '+255 713 445 210', 'city', 'Dar es Salaam',
         'notes', 'comes on Saturdays, prefers the morning') end, 0, 0
     from named`,
    FILL_COLUMNS,
  ];
}

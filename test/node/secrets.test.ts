// Searches for tokens, keys and record values after every kind of failure: in each error, each page
// of the operations port and each line of the log. The audit log: contract/audit, settings:
// node/settings, the comparison of the admin key: http/authentication.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runSql } from '../../scripts/run-sql.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { openLitestreamStub } from '../support/litestream-stub.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
import { openRaw, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const API = '/api/v1';
/** A part of every secret, and of no text of the service. */
const CANARY = 'canary7f3a';
const KEY = `${CANARY}-the-key-of-the-operator-0123456789`;
const OWNER = 'owner';
const TENANT = `/admin/accounts/${OWNER}`;

type Headers = Readonly<Record<string, string>>;
const ACCOUNT: Headers = { Authorization: `Bearer good-${CANARY}` };
const OPERATOR: Headers = { 'X-Service-Admin-Key': KEY };

/** Triggers that refuse a record by its value. The failing statement holds the value. */
const FAILURES = [
  `create trigger refuse_record before insert on records when new.body like '%refuse-record%'
   begin select raise(abort, 'injected'); end`,
  `create trigger refuse_removal before delete on records when old.body like '%refuse-removal%'
   begin select raise(abort, 'injected'); end`,
  `create trigger refuse_event before insert on audit_events when new.event like '%refuse-event%'
   begin select raise(abort, 'injected'); end`,
];

let service: NodeService;
let server: ServerProcess;
let closeProvider: () => Promise<void>;
let closeLitestream: () => Promise<void>;

beforeAll(async () => {
  service = await openNodeService();
  const identity = await openIdentityStub(echoing);
  closeProvider = identity.close;
  const [file, socket] = [`${service.folder}/service.db`, `${service.folder}/socket`];
  closeLitestream = (await openLitestreamStub(socket, file)).close;
  server = await service.start({
    AUTH_USERINFO_URL: `${identity.url}?key=${CANARY}`,
    AUTH_USERINFO_HEADERS: JSON.stringify({ apikey: CANARY }),
    ADMIN_API_KEY: KEY,
    OPS_PORT: '0',
    REQUEST_LOG: 'all',
    // Lets another program change the open file.
    REPLICATION: `async:${socket}`,
    DATABASE_CREATE: 'yes',
  });
  await runSql(file, ...FAILURES);
});
afterAll(async () => {
  await closeProvider();
  await closeLitestream();
  await service.close();
});

/** Accepts a good token. Repeats every other token in each part of the response. */
function echoing(token: string, response: ServerResponse): void {
  const status = Number(/^status-(\d+)/.exec(token)?.[1] ?? 200);
  const body = {
    error: token,
    code: token,
    error_code: token,
    message: `the token ${token} is bad`,
    sub: status === 200 ? OWNER : token,
  };
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'WWW-Authenticate': `Bearer error="${token}"`,
    Location: `https://elsewhere.example/${token}`,
  });
  response.end(token.startsWith('html') ? `<p>${token}` : JSON.stringify(body));
}

async function send(method: string, path: string, headers: Headers, body?: string) {
  const init = { method, headers, ...(body !== undefined && { body }) };
  const response = await fetch(server.origin + API + path, init);
  const text = await response.text();
  return { status: response.status, text, headers: JSON.stringify([...response.headers]) };
}

/** The ids of two records that later requests fail on. */
async function created(): Promise<string[]> {
  const ids = [];
  for (const note of ['plain', 'refuse-removal']) {
    const body = JSON.stringify({ name: CANARY, phone: CANARY, note: `${note} ${CANARY}` });
    const { text } = await send('POST', `${TENANT}/customers`, OPERATOR, body);
    ids.push(String(JSON.parse(text).data.id));
  }
  return ids;
}

type Attempt = [status: number, ...Parameters<typeof send>];

/** Requests with secrets in them. `plain` is a record that may be changed, `kept` one that the database does not let go. */
function attempts([plain, kept]: string[]): Attempt[] {
  const value = JSON.stringify(CANARY);
  const good = `{"name":${value},"phone":${value}}`;
  const refused = `{"name":${value},"phone":${value},"note":"refuse-record"}`;
  const rows: [status: number, method: string, path: string, body?: string][] = [
    [422, 'POST', 'customers', `{"name":${value}}`],
    [422, 'POST', 'customers', `{"name":[${value}],"phone":{"a":${value}}}`],
    [422, 'POST', 'orders', `{"customer":${value},"service":"","amount":${value}}`],
    [400, 'POST', 'customers', `[${value}]`],
    [400, 'POST', 'customers', `{"a":1e999,"name":${value}}`],
    [400, 'POST', 'customers', `{"name":${value}`],
    [500, 'POST', 'customers', refused],
    [500, 'PATCH', `customers/${plain}`, refused],
    [422, 'PATCH', `customers/${plain}`, '{"name":""}'],
    [200, 'PATCH', `customers/${plain}`, good],
    [404, 'PATCH', 'customers/CUS-9999', good],
    [500, 'DELETE', `customers/${kept}`],
    [405, 'PUT', `customers/${plain}`, good],
    [200, 'GET', `customers?q=${CANARY}`],
  ];
  const tokens = (status: number, ...all: string[]) =>
    all.map((text): Attempt => [status, 'GET', '/customers', { Authorization: text + CANARY }]);
  return [
    ...rows.flatMap(([status, method, path, body]): Attempt[] => [
      [status, method, `/${path}`, ACCOUNT, body],
      [status, method, `${TENANT}/${path}`, OPERATOR, body],
    ]),
    ...tokens(401, 'Bearer status-400-', 'Bearer status-401-', 'Bearer status-403-', 'Basic '),
    ...tokens(401, `Bearer ${CANARY} `),
    ...tokens(503, 'Bearer status-404-', 'Bearer status-429-', 'Bearer status-500-'),
    ...tokens(503, 'Bearer status-302-', 'Bearer html-'),
    [401, 'GET', '/admin/overview', { 'X-Service-Admin-Key': `${KEY}x` }],
    [401, 'GET', '/admin/overview', ACCOUNT],
    [401, 'GET', '/customers', OPERATOR],
    // The audit event names the account and cannot be written. The change itself is stored.
    [201, 'POST', '/admin/accounts/refuse-event/customers', OPERATOR, good],
  ];
}

/** Malformed requests with secrets in them, each from a client that ends its side. */
function malformed(): string[] {
  const mine = `Authorization: Bearer good-${CANARY}`;
  const body = `{"name":"${CANARY}"}`;
  return [
    `${CANARY} nonsense\r\n\r\n`,
    requestText('GET', `${API}/customers`, [mine, `${CANARY}\x01: ${CANARY}`]),
    requestText('GET', '*', [mine]),
    requestText('GET', `${API}/customers`, [mine, `Cookie: ${CANARY.repeat(3_000)}`]),
    requestText('POST', `${API}/customers`, [mine, 'Content-Length: 100']) + body,
    `${requestText('POST', `${API}/customers`, [mine, 'Transfer-Encoding: chunked'])}zz\r\n${body}`,
    requestText('CONNECT', `${CANARY}:1`, [mine]),
  ];
}

it('No error contains a secret, whatever fails', async () => {
  const [leaks, wrong]: [string[], string[]] = [[], []];
  for (const [wanted, ...request] of attempts(await created())) {
    const { status, text, headers } = await send(...request);
    const what = `${request[0]} ${request[1].slice(0, 60)}`;
    if (status !== wanted) wrong.push(`${what}: ${status}, not ${wanted}`);
    if (status >= 400 && `${text}${headers}`.includes(CANARY)) leaks.push(what);
  }
  for (const text of malformed()) {
    const connection = openRaw(server.origin, text);
    connection.socket.end();
    await connection.over;
    if (connection.received().includes(CANARY)) leaks.push(text.slice(0, 60));
  }
  expect({ leaks, wrong }).toEqual({ leaks: [], wrong: [] });
});

it('No page of the operations port contains a secret, a path or a subject', async () => {
  for (const page of ['metrics', 'status', 'ready']) {
    const text = await (await fetch(`${operationsOf(server)}/${page}`)).text();
    expect(text).not.toMatch(new RegExp(`${CANARY}|accounts/${OWNER}`));
  }
});

it('No line of the log contains a secret, even when the provider is down', async () => {
  await closeProvider();
  const gone = await send('GET', '/customers', ACCOUNT);
  expect(gone.status).toBe(503);
  await server.stop();
  const events = new Set(server.log().map(({ event }) => event));
  for (const event of [
    'request',
    'storage_commit_failed',
    'admin_audit_write_failed',
    'admin_audit',
    'admin_key_refused',
    'identity_provider_refused',
    'identity_provider_unavailable',
  ]) {
    expect(events).toContain(event);
  }
  expect(server.output()).not.toContain(CANARY);
});

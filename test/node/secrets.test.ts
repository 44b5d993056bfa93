// Tokens, keys and records' values are searched for after every kind of failure: in each error,
// in each line of the log, and in the audit log. Settings: `node/settings`, the comparison of
// the admin key: `http/authentication`.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeDatabase } from '../support/database-file.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { type NodeService, openNodeService } from '../support/node-service.js';
import { operationsOf } from '../support/operations.js';
import { openRaw, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';
import { plantedServer } from '../trials/planted-triggers.js';
import { type Attempt, attempts, CANARY, KEY, OWNER, TENANT } from './secret-requests.js';

const API = '/api/v1';

/** Triggers that refuse a record by its value, as a failing disk does. The failing statement holds the value. */
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

beforeAll(async () => {
  service = await openNodeService();
  const identity = await openIdentityStub(echoing);
  closeProvider = identity.close;
  const environment = {
    AUTH_USERINFO_URL: `${identity.url}?key=${CANARY}`,
    AUTH_USERINFO_HEADERS: JSON.stringify({ apikey: CANARY }),
    ADMIN_API_KEY: KEY,
    OPS_PORT: '0',
    REQUEST_LOG: 'all',
  };
  await (await service.start(environment)).stop();
  await changeDatabase(service.folder, ...FAILURES);
  server = await service.start(environment, { script: plantedServer() });
});
afterAll(async () => {
  await closeProvider();
  await service.close();
});

/** Accepts a good token. Repeats every other token in each part of the answer. */
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

function credentials(who: Attempt['who']): Record<string, string> {
  if (who === 'operator') return { 'X-Service-Admin-Key': KEY };
  return who === 'account' ? { Authorization: `Bearer good-${CANARY}` } : {};
}

async function send({ who, method, path, body, headers }: Omit<Attempt, 'status'>) {
  const response = await fetch(server.origin + API + path, {
    method,
    headers: { ...credentials(who), ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, text, headers: JSON.stringify([...response.headers]) };
}

/** The ids of two records that later requests fail on. */
async function created(): Promise<string[]> {
  const ids = [];
  for (const note of ['plain', 'refuse-removal']) {
    const body = JSON.stringify({ name: CANARY, phone: CANARY, note: `${note} ${CANARY}` });
    const path = `${TENANT}/customers`;
    const { text } = await send({ who: 'operator', method: 'POST', path, body });
    ids.push(String(JSON.parse(text).data.id));
  }
  return ids;
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

it('No error has a secret, whatever fails', async () => {
  const [leaks, wrong]: [string[], string[]] = [[], []];
  for (const attempt of attempts(await created())) {
    const { status, text, headers } = await send(attempt);
    const what = `${attempt.method} ${attempt.path.slice(0, 60)}`;
    if (status !== attempt.status) wrong.push(`${what}: ${status}, not ${attempt.status}`);
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

it('No row of the audit log has a secret', async () => {
  const path = '/admin/audit?page_size=200';
  const { text } = await send({ who: 'operator', method: 'GET', path });
  expect(JSON.parse(text).meta.pagination.total).toBeGreaterThan(0);
  expect(text).not.toContain(CANARY);
});

it('No page of the operations port has a secret, a path or a subject', async () => {
  for (const page of ['metrics', 'status', 'ready']) {
    const text = await (await fetch(`${operationsOf(server)}/${page}`)).text();
    expect(text).not.toMatch(new RegExp(`${CANARY}|accounts/${OWNER}`));
  }
});

it('No line of the log has a secret, also when the provider is gone', async () => {
  await closeProvider();
  const gone = await send({ who: 'account', method: 'GET', path: '/customers' });
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

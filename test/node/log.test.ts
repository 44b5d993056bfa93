// What the process writes: one JSON line an event, and never a token, a key, a
// header or a record's value.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeDatabase } from '../support/database-file.js';
import { tokenOf } from '../support/identity-stub.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, type RawAnswer, rawExchange, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';
import { plantedServer } from '../trials/planted-triggers.js';

const CUSTOMERS = '/api/v1/customers';
const ADMIN_KEY = 'canary-admin-key-canary-admin-key';
const OPERATOR = `X-Service-Admin-Key: ${ADMIN_KEY}`;
const SUBJECT = 'canary-subject';
const MINE = bearer(SUBJECT);
const RECORD = '{"name":"canary-name","phone":"1"}';

let service: NodeService;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(() => service.close());

/** A database in which a kind of write fails, as if the disk had said so. */
async function plantFailure(event: 'insert on audit_events' | 'insert on records') {
  const first = await service.start();
  await first.stop();
  await changeDatabase(
    service.folder,
    `create trigger failing before ${event} begin select raise(abort, 'planted'); end`,
  );
}

async function ask(
  server: ServerProcess,
  method: string,
  path: string,
  headers: string[],
  body = '',
) {
  const text = requestText(method, path, [...headers, 'Connection: close'], body);
  const [answer] = await rawExchange(server.origin, text);
  return answer as RawAnswer;
}

/** Every line is an event of its own and holds nothing that a client or the operator keeps secret. */
function expectCleanLog(server: Pick<ServerProcess, 'log' | 'output'>): void {
  for (const line of server.log()) {
    expect(Object.keys(line).slice(0, 3)).toEqual(['time', 'level', 'event']);
    expect(new Date(String(line['time'])).toJSON()).toBe(line['time']);
    expect(['info', 'warn', 'error']).toContain(line.level);
    expect(line.event).toMatch(/^[a-z]+(_[a-z]+)*$/);
  }
  expect(server.output()).not.toMatch(/canary/);
  expect(server.output()).not.toContain(tokenOf(SUBJECT));
}

/** What came of the question to the provider at the start: said when it is answered. */
const AT_START = new Set(['identity_provider_asked', 'identity_provider_unfit']);

function eventsOf(server: ServerProcess): string[] {
  return server.log().flatMap(({ event }) => (AT_START.has(event) ? [] : [event]));
}

describe('The log', () => {
  it('has no line for a request, whether it is good, refused, broken or broken off', async () => {
    const server = await service.start({ ADMIN_API_KEY: ADMIN_KEY });
    const large = JSON.stringify({ name: 'canary', phone: '1', note: 'x'.repeat(900_000) });
    for (let i = 0; i < 3; i++) await ask(server, 'POST', CUSTOMERS, [MINE], large);
    const asked = [
      await ask(server, 'GET', CUSTOMERS, [MINE, 'X-Request-ID: canary']),
      await ask(server, 'POST', CUSTOMERS, [MINE], '{"canary":'),
      await ask(server, 'GET', '/api/v1/admin/overview', [OPERATOR]),
      await ask(server, 'GET', '/api/v1/admin/overview', ['X-Service-Admin-Key: canary']),
      await ask(server, 'GET', CUSTOMERS, ['canary\x01: canary']),
    ];
    expect(asked.map(({ status }) => status)).toEqual([200, 400, 200, 401, 400]);
    // Gone in the middle of a body, of a broken body, and of a large answer.
    for (const text of [
      `${requestText('POST', CUSTOMERS, [MINE, 'Content-Length: 100'])}{`,
      `${requestText('POST', CUSTOMERS, [MINE, 'Transfer-Encoding: chunked'])}5\r\n{`,
      requestText('GET', CUSTOMERS, [MINE]).repeat(5),
    ]) {
      const connection = openRaw(server.origin, text);
      if (text.startsWith('GET')) await connection.until(({ received }) => received() !== '');
      // The answer to another request says that this one is there, too.
      await ask(server, 'GET', CUSTOMERS, [MINE]);
      connection.socket.resetAndDestroy();
      await connection.over;
    }
    expect((await ask(server, 'GET', '/api/v1/health', [])).status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect(eventsOf(server)).toEqual([
      'database_created',
      'started',
      'admin_key_refused',
      'stopping',
      'stopped',
    ]);
    expectCleanLog(server);
  });

  it('says that an audit event could not be written, and the change is kept', async () => {
    await plantFailure('insert on audit_events');
    const server = await service.start({ ADMIN_API_KEY: ADMIN_KEY }, { script: plantedServer() });
    const path = `/api/v1/admin/accounts/${SUBJECT}/customers`;
    expect((await ask(server, 'POST', path, [OPERATOR], RECORD)).status).toBe(201);
    expect((await ask(server, 'GET', CUSTOMERS, [MINE])).json.data).toHaveLength(1);
    await server.stop();
    expect(server.log()).toContainEqual({
      time: expect.any(String),
      level: 'error',
      event: 'admin_audit_write_failed',
      error: expect.stringContaining('planted'),
      events: 1,
      records: expect.stringMatching(/^create CUS-\d+$/),
    });
    // The event itself names its account, and no value of a record.
    const [mirrored, ...more] = server.log().filter(({ event }) => event === 'admin_audit');
    expect(more).toEqual([]);
    expect(mirrored).toMatchObject({ owner_sub: SUBJECT, changed: 'name,phone' });
    expect(JSON.stringify({ ...mirrored, owner_sub: '' })).not.toMatch(/canary/i);
  });

  it('has one line for the changes of an import, whose audit events are all kept', async () => {
    const server = await service.start({ ADMIN_API_KEY: ADMIN_KEY });
    const path = '/api/v1/admin/accounts/imported/customers';
    for (const run of ['import-1', 'import-1', 'import-2', '']) {
      const headers = [OPERATOR, `X-Service-Run: ${run}`];
      expect((await ask(server, 'POST', path, headers, RECORD)).status).toBe(201);
    }
    const { json } = await ask(server, 'GET', '/api/v1/admin/audit', [OPERATOR]);
    const events = json.data.filter(
      ({ owner_sub }: { owner_sub: string }) => owner_sub === 'imported',
    );
    expect(events).toHaveLength(4);
    await server.stop();
    const mirrored = server.log().filter(({ event }) => event === 'admin_audit');
    expect(mirrored.map(({ run }) => run)).toEqual(['import-1', 'import-2', undefined]);
  });

  it('has a line for each output, warning and uncaught error of a library', async () => {
    // Preloaded into the process, as a library would be.
    const library = `process.on('SIGWINCH', () => {
      console.log('planted\\nlog'); console.debug('planted debug'); console.trace('planted trace');
      process.emitWarning('planted warning');
      setImmediate(() => Promise.reject(new Error('planted rejection')));
    })`;
    const server = await service.start({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(library)}`,
    });
    server.child.kill('SIGWINCH');
    expect(await server.exited).toBe(1);
    // The question to the provider is answered when it is answered.
    const told = server.log().filter(({ event }) => event !== 'identity_provider_asked');
    expect(told.map(({ event, text, error }) => [event, text ?? error])).toEqual([
      ['database_created', undefined],
      ['started', undefined],
      ['console_output', 'planted\nlog'],
      ['console_output', 'planted debug'],
      ['console_output', 'planted trace'],
      ['process_warning', 'Warning: planted warning'],
      ['process_failed', expect.stringMatching(/^planted rejection/)],
    ]);
    expectCleanLog(server);
  });

  it('may lose its reader: the service continues, and stops normally', async () => {
    const server = await service.start();
    server.child.stdout?.destroy();
    server.child.stderr?.destroy();
    // Each of these is worth a line.
    const headers = { 'X-Service-Admin-Key': 'wrong' };
    const asked = () => fetch(`${server.origin}/api/v1/admin/overview`, { headers });
    for (let i = 0; i < 3; i++) expect((await asked()).status).toBe(503);
    server.child.kill('SIGUSR2');
    expect(await server.stop()).toBe(0);
  });
});

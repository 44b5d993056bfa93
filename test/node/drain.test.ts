// How the process stops: SIGTERM and SIGINT end it with exit code 0 once every request in progress
// has its response (that no acknowledged write is lost: node/systemd-socket). If storage is lost it
// ends with 74, and a restart reads what is stored.

import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { SAMPLE_RECORDS } from '../../src/core/domain/sample-records.js';
import { listen } from '../../src/hosts/node/http-server.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { memoryLog } from '../support/memory-log.js';
import { bearer, nodeService } from '../support/node-service.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const HEALTH = '/api/v1/health';
const CUSTOMERS = '/api/v1/customers';
const MINE = bearer('drain');
const HOUR_MS = 3_600_000;

const service = nodeService();

/** An identity provider that accepts every token, once `open` is called. */
async function openGate() {
  const { promise: opened, resolve: open } = deferred();
  const { promise: reached, resolve: arrived } = deferred();
  const stub = await openIdentityStub((_token, response) => {
    arrived();
    void opened.then(() => response.end('{"sub":"drain"}'));
  });
  return { stub, open, reached };
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Sends the signal and resolves when the server has noticed it. */
async function signalled(server: ServerProcess): Promise<void> {
  server.child.kill('SIGTERM');
  while (!server.output().includes('"event":"stopping"')) {
    await new Promise((resolve) => server.child.stdout?.once('data', resolve));
  }
}

describe('A stop', () => {
  it('by SIGTERM is logged and ends with 0', async () => {
    const server = await service.start();
    await signalled(server);
    expect(await server.exited).toBe(0);
    // Another test has a new file.
    const told = server.log().filter(({ event }) => event !== 'database_created');
    const facts = {
      version: '0.1.0',
      file: service.database,
      records: SAMPLE_RECORDS.length,
    };
    const line = { time: expect.any(String), level: 'info' };
    expect(told).toEqual([
      { ...line, event: 'started', address: server.origin, ...facts },
      { ...line, event: 'stopping', reason: 'SIGTERM' },
      { ...line, event: 'stopped' },
    ]);
    // Closed cleanly: the log was written back into the file.
    expect(await readdir(service.folder)).toEqual(['service.db']);
  });

  it('completes requests in progress and accepts no new connections', async () => {
    const gate = await openGate();
    const server = await service.start({ AUTH_USERINFO_URL: gate.stub.url });
    const early = openRaw(server.origin, requestText('GET', CUSTOMERS, [MINE]));
    await gate.reached;
    await signalled(server);
    // Those that the kernel had accepted before are served, too.
    for (let late = 'answered'; late !== ''; ) {
      const { over, received } = openRaw(server.origin, requestText('GET', HEALTH));
      await over;
      late = received();
    }
    gate.open();
    await early.over;
    expect(early.answers()[0]?.status).toBe(200);
    expect(early.answers()[0]?.headers.get('connection')).toBe('close');
    expect(await server.exited).toBe(0);
    await gate.stub.close();
  });

  /** A server in this process whose responses are this large. */
  function openServer(bytes: number) {
    const settings = { host: '127.0.0.1', port: 0, corsAllowedOrigins: [] };
    const handler = () => new Response(new Uint8Array(bytes));
    return listen({ settings, handler, log: memoryLog() });
  }

  it('completes responses, even to slow readers', async () => {
    const { origin, connections } = await openServer(900_000);
    // More than the buffers between the two hold, so most is still in the process.
    const answers = 12;
    const connection = openRaw(origin, requestText('GET', '/').repeat(answers));
    await connection.until(({ received }) => received().length > 0);
    connection.socket.pause();
    const drained = connections.drain(HOUR_MS);
    // Long enough for anything that closes connections that look idle.
    await new Promise((resolve) => setTimeout(resolve, 300));
    connection.socket.resume();
    await Promise.all([connection.over, drained]);
    expect(connection.received().split('HTTP/1.1 200 OK')).toHaveLength(answers + 1);
    expect(connection.received().length).toBeGreaterThan(answers * 900_000);
  });

  it('serves clients whose connections it has yet to accept', async () => {
    const { origin, connections } = await openServer(0);
    const clients = Array.from({ length: 50 }, () => openRaw(origin, requestText('GET', '/')));
    // Now the kernel has accepted the connections.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    await connections.drain(HOUR_MS);
    for (const { over } of clients) await over;
    const answered = clients.filter(({ received }) => received().includes('HTTP/1.1 200 OK'));
    expect(answered).toHaveLength(clients.length);
  });

  it.each([
    ['keeps an idle connection', requestText('GET', HEALTH)],
    ['stays after CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['stays after a refusal', 'NONSENSE\r\n\r\n'],
  ])('is not delayed by a client that %s', async (_what, text) => {
    const { origin, connections } = await openServer(0);
    const connection = openRaw(origin, text, { stay: true });
    await connection.until(({ answers }) => answers().length === 1);
    // A drain that waits for its deadline does not end within this test.
    await connections.drain(HOUR_MS);
    connection.socket.destroy();
  });

  it('cuts responses that a client never reads at its deadline', async () => {
    // More than the buffers between the two hold.
    const { origin, connections } = await openServer(100_000_000);
    const connection = openRaw(origin, requestText('GET', HEALTH));
    await connection.until(({ received }) => received() !== '');
    connection.socket.pause();
    await connections.drain(300);
    connection.socket.destroy();
  });

  it('is cut short by a second signal', async () => {
    const gate = await openGate();
    const server = await service.start({ AUTH_USERINFO_URL: gate.stub.url });
    const waiting = openRaw(server.origin, requestText('GET', CUSTOMERS, [MINE]));
    await gate.reached;
    await signalled(server);
    await server.stop('SIGINT');
    // So it doesn't wait for a disk that hangs.
    expect(server.child.signalCode).toBe('SIGKILL');
    await waiting.over;
    expect(waiting.received()).toBe('');
    await gate.stub.close();
    const next = await service.start();
    expect(await next.stop()).toBe(0);
  });
});

describe('Storage that is lost during a commit', () => {
  const CREATION = requestText('POST', CUSTOMERS, [MINE], '{"name":"a","phone":"1"}');
  /** Its files can't grow, so the first commit fails in the middle, with an unknown outcome. */
  const start = async (environment = {}) => {
    await (await service.start()).stop();
    return service.start(environment, { under: ['sh', '-c', 'ulimit -f 8; exec "$@"', 'sh'] });
  };

  it('ends the process with 74, after responding to the writes in progress', async () => {
    const server = await start();
    const all = await Promise.all([1, 2, 3].map(() => rawExchange(server.origin, CREATION)));
    const codes = all.flat().map(({ status, json }) => [status, json.error?.code]);
    expect(codes).toEqual([1, 2, 3].map(() => [500, 'STORAGE_FAILED']));
    expect(await server.exited).toBe(74);
    const failures = server.log().filter(({ event }) => /^storage_/.test(event));
    expect(failures.map(({ event }) => event)).toEqual(['storage_lost']);
    expect(server.output()).toMatch(/"event":"stopping","reason":"storage_lost"/);
  });

  it('ends a process that is already stopping with 74', async () => {
    const gate = await openGate();
    const server = await start({ AUTH_USERINFO_URL: gate.stub.url });
    const connection = openRaw(server.origin, CREATION);
    await gate.reached;
    await signalled(server);
    gate.open();
    await connection.over;
    expect(connection.answers()[0]?.status).toBe(500);
    expect(await server.exited).toBe(74);
    await gate.stub.close();
  });
});

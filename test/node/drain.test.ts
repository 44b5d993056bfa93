// How the process stops: SIGTERM and SIGINT end it with exit code 0 once every
// request under way is answered, and lose no acknowledged write.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SAMPLE_COUNT } from '../../src/core/domain/sample-records.js';
import { listen } from '../../src/hosts/node/http-server.js';
import { type IdentityStub, openIdentityStub } from '../support/identity-stub.js';
import { keptLog } from '../support/kept-log.js';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const HEALTH = '/api/v1/health';
const CUSTOMERS = '/api/v1/customers';
const MINE = bearer('drain');
const HOUR_MS = 3_600_000;

let service: NodeService;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(() => service.close());

/** An identity provider that vouches for everyone, once `open` is called. */
async function openGate() {
  let open = () => {};
  let arrived = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const stub: IdentityStub = await openIdentityStub((_token, response) => {
    arrived();
    opened.then(() => response.end('{"sub":"drain"}'));
  });
  return { stub, open, reached };
}

/** Sends the signal and resolves when the server has taken notice. */
async function signalled(server: ServerProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  server.child.kill(signal);
  while (!server.output().includes('"event":"stopping"')) {
    await new Promise((resolve) => server.child.stdout?.once('data', resolve));
  }
}

describe('A stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('by %s is logged and ends with 0', async (signal) => {
    const server = await service.start();
    await signalled(server, signal);
    expect(await server.exited).toBe(0);
    const line = (event: string) => ({ time: expect.any(String), level: 'info', event });
    // The question to the provider is answered when it is answered; a new file is another test's.
    const others = ['identity_provider_asked', 'database_created'];
    const told = server.log().filter(({ event }) => !others.includes(String(event)));
    expect(told).toEqual([
      {
        ...line('started'),
        address: server.origin,
        version: '0.1.0',
        file: join(service.folder, 'service.db'),
        records: SAMPLE_COUNT,
      },
      { ...line('stopping'), reason: signal },
      line('stopped'),
    ]);
    // Closed, and not just left: the log of writes is back in the file.
    expect(await readdir(service.folder)).toEqual(['service.db', 'service.db-state']);
  });

  it('loses no write that was acknowledged', async () => {
    const server = await service.start();
    const acknowledged: string[] = [];
    let stopping: Promise<void> | undefined;
    const client = async () => {
      for (;;) {
        const response = await fetch(server.origin + CUSTOMERS, {
          method: 'POST',
          headers: { Authorization: MINE.slice('Authorization: '.length) },
          body: '{"name":"a","phone":"1"}',
        }).catch(() => undefined);
        // The listener is gone, or the kept connection was closed between two requests.
        if (response === undefined) return;
        expect(response.status).toBe(201);
        acknowledged.push((await response.json()).data.id);
        if (acknowledged.length === 200) stopping = signalled(server);
      }
    };
    await Promise.all(Array.from({ length: 20 }, client));
    await stopping;
    expect(await server.exited).toBe(0);
    expect(acknowledged.length).toBeGreaterThanOrEqual(200);

    const again = await service.start();
    const stored: string[] = [];
    for (let page = 1; stored.length < acknowledged.length; page++) {
      const path = `${CUSTOMERS}?page_size=100&page=${page}`;
      const connection = openRaw(again.origin, requestText('GET', path, [MINE]));
      await connection.until(({ answers }) => answers().length === 1);
      const rows: { id: string }[] = connection.answers()[0]?.json.data;
      if (rows.length === 0) break;
      stored.push(...rows.map(({ id }) => id));
      connection.socket.destroy();
    }
    expect(stored).toEqual(expect.arrayContaining(acknowledged));
    await again.stop();
  });

  it('answers requests under way, and accepts no later connection', async () => {
    const gate = await openGate();
    const server = await service.start({ AUTH_USERINFO_URL: gate.stub.url });
    const early = openRaw(server.origin, requestText('GET', CUSTOMERS, [MINE]));
    await gate.reached;
    await signalled(server);
    const late = openRaw(server.origin, requestText('GET', HEALTH));
    await late.over;
    expect(late.received()).toBe('');
    gate.open();
    await early.over;
    expect(early.answers()[0]?.status).toBe(200);
    expect(early.answers()[0]?.headers.get('connection')).toBe('close');
    expect(await server.exited).toBe(0);
    await gate.stub.close();
  });

  it('writes answers to their end, also to slow readers', async () => {
    const server = await service.start();
    const record = JSON.stringify({ name: 'a', phone: '1', note: 'x'.repeat(900_000) });
    const creation = requestText('POST', CUSTOMERS, [MINE, 'Connection: close'], record);
    await openRaw(server.origin, creation).over;
    // More than the buffers between the two hold: most is still in the process.
    const answers = 12;
    const connection = openRaw(
      server.origin,
      requestText('GET', `${CUSTOMERS}?page_size=1`, [MINE]).repeat(answers),
    );
    await connection.until(({ received }) => received().length > 0);
    connection.socket.pause();
    await signalled(server);
    // Long enough for whatever closes connections that look idle.
    await new Promise((resolve) => setTimeout(resolve, 300));
    connection.socket.resume();
    await connection.over;
    expect(connection.answers().map(({ status }) => status)).toEqual(Array(answers).fill(200));
    expect(await server.exited).toBe(0);
  });

  it.each([
    ['keeps an idle connection', requestText('GET', HEALTH)],
    ['stays after CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['stays after a refusal', 'NONSENSE\r\n\r\n'],
  ])('is not delayed by a client that %s', async (_what, text) => {
    const server = await listen({
      handler: () => new Response('{}'),
      host: '127.0.0.1',
      port: 0,
      corsAllowedOrigins: [],
      log: keptLog(),
    });
    const connection = openRaw(server.origin, text, { stay: true });
    await connection.until(({ answers }) => answers().length === 1);
    // A drain that waits for its deadline does not end within this test.
    await server.connections.drain(HOUR_MS);
    connection.socket.destroy();
  });

  it('cuts at its deadline what a client never reads', async () => {
    const how = { corsAllowedOrigins: [], log: keptLog(), host: '127.0.0.1', port: 0 };
    // More than the buffers between the two hold.
    const server = await listen({
      handler: () => new Response(new Uint8Array(100_000_000)),
      ...how,
    });
    const connection = openRaw(server.origin, requestText('GET', HEALTH));
    await connection.until(({ received }) => received() !== '');
    connection.socket.pause();
    await server.connections.drain(300);
    connection.socket.destroy();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('is cut short by a second signal: %s', async (signal) => {
    const gate = await openGate();
    const server = await service.start({ AUTH_USERINFO_URL: gate.stub.url });
    const waiting = openRaw(server.origin, requestText('GET', CUSTOMERS, [MINE]));
    await gate.reached;
    await signalled(server, 'SIGTERM');
    server.child.kill(signal);
    await server.exited;
    // So it doesn't wait for a disk that hangs.
    expect(server.child.signalCode).toBe('SIGKILL');
    await waiting.over;
    expect(waiting.received()).toBe('');
    await gate.stub.close();
    const next = await service.start();
    expect(await next.stop()).toBe(0);
  });
});

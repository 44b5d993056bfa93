// What the process writes: one JSON line an event, and none for a request. That no line has a
// secret: node/secrets.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bearer, type NodeService, openNodeService } from '../support/node-service.js';
import { openRaw, rawExchange, requestText } from '../support/raw-http.js';
import type { ServerProcess } from '../support/server-process.js';

const CUSTOMERS = '/api/v1/customers';
const ADMIN_API_KEY = 'the-operators-key-of-the-log-tests';
const MINE = bearer('log');
const CLOSE = 'Connection: close';

let service: NodeService;

beforeEach(async () => {
  service = await openNodeService();
});
afterEach(() => service.close());

/** The events, each of which has a line of its own. */
function eventsOf(server: ServerProcess) {
  const lines = server.log();
  for (const line of lines) {
    expect(Object.keys(line).slice(0, 3)).toEqual(['time', 'level', 'event']);
    expect(new Date(String(line['time'])).toJSON()).toBe(line['time']);
    expect(line.event).toMatch(/^[a-z]+(_[a-z]+)*$/);
  }
  return lines;
}

describe('The log', () => {
  it('has no line for a request, whether it is good, refused, broken or broken off', async () => {
    const server = await service.start({ ADMIN_API_KEY });
    const large = JSON.stringify({ name: 'a', phone: '1', note: 'x'.repeat(900_000) });
    const get = requestText('GET', CUSTOMERS, [MINE, CLOSE]);
    for (const [text, status] of [
      ...[1, 2, 3].map(() => [requestText('POST', CUSTOMERS, [MINE, CLOSE], large), 201] as const),
      [get, 200],
      [requestText('POST', CUSTOMERS, [MINE, CLOSE], '{"name":'), 400],
      [requestText('GET', '/api/v1/admin/overview', ['X-Service-Admin-Key: a', CLOSE]), 401],
      [requestText('GET', CUSTOMERS, ['x\x01: x']), 400],
    ] as const) {
      expect((await rawExchange(server.origin, text))[0]?.status).toBe(status);
    }
    // Gone in the middle of a body, of a broken body, and of a large answer.
    for (const text of [
      `${requestText('POST', CUSTOMERS, [MINE, 'Content-Length: 100'])}{`,
      `${requestText('POST', CUSTOMERS, [MINE, 'Transfer-Encoding: chunked'])}5\r\n{`,
      requestText('GET', CUSTOMERS, [MINE]).repeat(5),
    ]) {
      const connection = openRaw(server.origin, text);
      if (text.startsWith('GET')) await connection.until(({ received }) => received() !== '');
      // The answer to another request says that this one has arrived, too.
      await rawExchange(server.origin, get);
      connection.socket.resetAndDestroy();
      await connection.over;
    }
    expect((await rawExchange(server.origin, get))[0]?.status).toBe(200);
    expect(await server.stop()).toBe(0);
    const events = ['database_created', 'started', 'admin_key_refused', 'stopping', 'stopped'];
    expect(eventsOf(server).map(({ event }) => event)).toEqual(events);
  });

  it('has a line for each warning and uncaught error of a library', async () => {
    // Preloaded into the process, as a library would be.
    const library = `process.on('SIGWINCH', () => {
      process.emitWarning('planted warning');
      setImmediate(() => Promise.reject(new Error('planted rejection')));
    })`;
    const server = await service.start({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(library)}`,
    });
    server.child.kill('SIGWINCH');
    expect(await server.exited).toBe(1);
    expect(eventsOf(server).map(({ event, text, error }) => [event, text ?? error])).toEqual([
      ['database_created', undefined],
      ['started', undefined],
      ['process_warning', 'Warning: planted warning'],
      ['process_failed', expect.stringMatching(/^planted rejection/)],
    ]);
  });

  it('says why a signal does nothing, and which one to use instead', async () => {
    const server = await service.start();
    for (const [signal, hint] of [
      ['SIGUSR1', 'SIGUSR2 takes a backup'],
      ['SIGHUP', 'SIGTERM stops the service'],
      ['SIGUSR2', 'no backup was taken: BACKUP_DIR is unset'],
    ] as const) {
      server.child.kill(signal);
      await server.saw(hint);
    }
    const ignored = server.log().filter(({ event }) => event === 'signal_ignored');
    expect(ignored.map(({ signal }) => signal)).toEqual(['SIGUSR1', 'SIGHUP']);
    expect(server.output()).not.toMatch(/debugger/i);
    expect(await server.stop()).toBe(0);
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

// The response write time-out (contract, "Limits": 15 s) to the millisecond, by a
// clock of the test's own; `response-deadline` has it on the real process.

import { createServer, type IncomingMessage } from 'node:http';
import { expect, it, vi } from 'vitest';
import { RESPONSE_WRITE_TIMEOUT_MS } from '../../src/core/domain/limits.js';
import { Connections } from '../../src/hosts/node/connections.js';
import { onLoopback } from '../support/loopback.js';
import { openRaw, requestText } from '../support/raw-http.js';

it('resets a connection after the time-out, and at most half a second later', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const server = createServer();
  const connections = new Connections(server);
  try {
    const { origin } = await onLoopback(server);
    // Just after a look: it takes longest till the next one.
    vi.advanceTimersByTime(1);
    const client = openRaw(origin, requestText('GET', '/'));
    // Never answered.
    const { socket } = await new Promise<IncomingMessage>((resolve) => {
      server.once('request', (request, response) => {
        connections.add({ request, response, begin: () => resolve(request) });
      });
    });
    vi.advanceTimersByTime(RESPONSE_WRITE_TIMEOUT_MS);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(500);
    expect(socket.destroyed).toBe(true);
    expect((await client.over).reset).toBe(true);
  } finally {
    connections.stop();
    server.closeAllConnections();
    server.close();
    vi.useRealTimers();
  }
});

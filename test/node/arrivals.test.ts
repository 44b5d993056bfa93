// New connections while the process has long work, and many at once.

import { connect } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { listen } from '../../src/hosts/node/http-server.js';
import { openTurns } from '../../src/hosts/node/service.js';
import { keptLog } from '../support/kept-log.js';

const CLIENTS = 60;

afterEach(() => void vi.useRealTimers());

it('A burst of new connections is accepted without a slice of long work for each', async () => {
  // Each slice makes the clock go on by its two milliseconds, so only event-loop turns count.
  vi.useFakeTimers({ toFake: ['performance'] });
  const { scheduler, onConnection } = openTurns();
  const settings = { host: '127.0.0.1', port: 0, corsAllowedOrigins: ['*'] };
  const http = await listen({ settings, handler: () => new Response('{}'), log: keptLog() });
  http.server.on('connection', onConnection);
  const port = Number(new URL(http.origin).port);
  const sockets = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => new Promise((up) => socket.once('connect', up))));
  let slices = 0;
  while (http.connections.count < CLIENTS) {
    await scheduler.yield('busy');
    vi.advanceTimersByTime(2);
    slices++;
  }
  expect(slices).toBeLessThan(CLIENTS / 4);
  for (const socket of sockets) socket.destroy();
  await http.connections.drain(0);
});

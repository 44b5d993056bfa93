// New connections while the process has long work.

import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { Arrivals } from '../../src/node/arrivals.js';
import { listen } from '../../src/node/http-server.js';
import { nextTask, Turns } from '../../src/turns.js';
import { keptLog } from '../support/kept-log.js';

const CLIENTS = 60;

it('A burst of new connections is accepted without a slice of long work for each', async () => {
  const arrivals = new Arrivals();
  // Each slice makes the clock go on by its two milliseconds, so only event-loop turns count.
  let now = 0;
  const turns = new Turns({ stopwatch: () => now, givesWay: () => arrivals.take() });
  const http = await listen({
    handler: () => new Response('{}'),
    host: '127.0.0.1',
    port: 0,
    corsAllowedOrigins: ['*'],
    log: keptLog(),
    arrivals,
  });
  const port = Number(new URL(http.origin).port);
  const sockets = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => new Promise((up) => socket.once('connect', up))));
  let slices = 0;
  while (http.connectionCount < CLIENTS) {
    await turns.next('busy');
    now += 2;
    slices++;
  }
  expect(slices).toBeLessThan(CLIENTS / 4);
  for (const socket of sockets) socket.destroy();
  await nextTask();
  await http.drain(0);
});

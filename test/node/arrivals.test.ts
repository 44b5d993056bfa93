// New connections while the process has long work, and many at once.

import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { FairScheduler, nextTask } from '../../src/core/admission/fair-scheduler.js';
import { listen } from '../../src/hosts/node/http-server.js';
import { NewConnections } from '../../src/hosts/node/turns.js';
import { keptLog } from '../support/kept-log.js';

const CLIENTS = 60;

async function openServer(newConnections?: NewConnections) {
  const http = await listen({
    handler: () => new Response('{}'),
    host: '127.0.0.1',
    port: 0,
    corsAllowedOrigins: ['*'],
    log: keptLog(),
    newConnections,
  });
  return { http, port: Number(new URL(http.origin).port) };
}

it('A burst of new connections is accepted without a slice of long work for each', async () => {
  const newConnections = new NewConnections();
  // Each slice makes the clock go on by its two milliseconds, so only event-loop turns count.
  let now = 0;
  const scheduler = new FairScheduler({
    stopwatch: () => now,
    givesWay: () => newConnections.take(),
  });
  const { http, port } = await openServer(newConnections);
  const sockets = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => new Promise((up) => socket.once('connect', up))));
  let slices = 0;
  while (http.connectionCount < CLIENTS) {
    await scheduler.yield('busy');
    now += 2;
    slices++;
  }
  expect(slices).toBeLessThan(CLIENTS / 4);
  for (const socket of sockets) socket.destroy();
  await nextTask();
  await http.drain(0);
});

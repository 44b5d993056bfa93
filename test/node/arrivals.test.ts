// New connections while the process has long work, and many at once.

import { existsSync, readFileSync } from 'node:fs';
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

/** Connections that the kernel has dropped because a process did not accept them in time. */
function droppedConnections(): number {
  const lines = readFileSync('/proc/net/netstat', 'utf8').split('\n');
  const [names, values] = lines.filter((line) => line.startsWith('TcpExt:'));
  const place = names?.split(' ').indexOf('ListenOverflows') ?? -1;
  return Number(values?.split(' ')[place]);
}

/** The most that Linux lets wait, whatever a process asks for. */
const SYSTEM_MAX = '/proc/sys/net/core/somaxconn';

it.runIf(existsSync(SYSTEM_MAX) && Number(readFileSync(SYSTEM_MAX, 'utf8')) > 600)(
  'The kernel drops none of 600 connections that wait to be accepted',
  async () => {
    const { http, port } = await openServer();
    const droppedBefore = droppedConnections();
    const sockets = Array.from({ length: 600 }, () => connect(port, '127.0.0.1'));
    // Node asks the kernel for all of them before it accepts the first one.
    await new Promise<void>((asked) => process.nextTick(asked));
    expect(droppedConnections()).toBe(droppedBefore);
    await Promise.all(sockets.map((socket) => new Promise((up) => socket.once('connect', up))));
    for (const socket of sockets) socket.destroy();
    await http.drain(0);
  },
);

// Many clients may break off in one moment: other requests come between the refusals.

import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { FairScheduler, nextTask } from '../../src/core/admission/fair-scheduler.js';
import { ConnectionErrors } from '../../src/hosts/node/connection-errors.js';
import { Connections } from '../../src/hosts/node/connections.js';
import { onLoopback } from '../support/loopback.js';

const CLIENTS = 20;

it('spreads the refusals of many clients over turns of the event loop', async () => {
  let turns = 0;
  let now = 0;
  const scheduler = new FairScheduler({
    pause: () => {
      turns++;
      return nextTask();
    },
    // A look at the clock takes a millisecond, so that a slice of two has one refusal.
    stopwatch: () => ++now,
  });
  const server = createServer();
  const connections = new Connections(server);
  const errors = new ConnectionErrors({
    connections,
    scheduler,
    corsAllowedOrigins: [],
    handler: async () => new Response(),
  });
  server.on('clientError', (error, socket) => errors.refuse(error, socket));
  const { port, close } = await onLoopback(server);
  try {
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        const socket = connect(port, '127.0.0.1').end('no request\r\n\r\n');
        let answer = '';
        for await (const piece of socket.setEncoding('latin1')) answer += piece;
        return answer;
      }),
    );
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(turns).toBeGreaterThanOrEqual(CLIENTS);
  } finally {
    connections.stop();
    await close();
  }
});

// Some clients end their side of the connection after the request and wait for the
// answer (RFC 9112, section 9.6). They get their answer; then the connection is closed.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FairScheduler } from '../../core/admission/fair-scheduler.js';
import type { Connections, Exchange } from './connections.js';

/** Longer than a reset takes to come back: from a client on this machine or near it, from one in the same country, and over nearly every network. */
const ASK_AGAIN_MS = [2, 25, 250] as const;
/** "A write whose sender has gone before it was decided is not made": a read may go on without knowing. */
const WRITES = new Set(['POST', 'PATCH', 'DELETE']);

/**
 * Answers the requests under way on a connection whose client has ended its side.
 * Node closes the connection after the newest of these answers. The response write
 * time-out applies as always, and an incomplete request is refused. `scheduler` spreads the
 * questions to clients that may have gone.
 */
export function answerHalfClosed(
  server: Server,
  connections: Connections,
  scheduler: FairScheduler,
): void {
  // Node's own property, which its types lack. An HTTP server has `allowHalfOpen` in any case.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket) => {
    socket.once('end', () => end(connections.underWay(socket), socket, scheduler));
  });
}

function end(exchanges: readonly Exchange[], socket: Socket, scheduler: FairScheduler): void {
  const newest = exchanges.at(-1)?.response;
  if (newest?.headersSent === false) newest.shouldKeepAlive = false;
  const asked = exchanges.find(({ response }) => !response.writableEnded);
  if (asked === undefined || asked.request.httpVersion !== '1.1' || !isWrite(asked)) return;
  // A client that has gone and a client that waits look the same until something is sent. So
  // interim answers are sent; every client of HTTP/1.1 must know them (RFC 9110, section 15.2).
  // A client that has gone answers the first one with a reset, and a later one meets it.
  const ask = () => {
    if (!asked.response.headersSent && socket.writable) asked.response.writeProcessing();
  };
  // Many clients may leave at once: other requests come between the questions.
  const askInTurn = () => {
    const turn = scheduler.admit('');
    if (turn === undefined) ask();
    else void turn.then(ask);
  };
  askInTurn();
  const again = ASK_AGAIN_MS.map((milliseconds) => setTimeout(askInTurn, milliseconds));
  socket.once('close', () => {
    for (const timer of again) clearTimeout(timer);
  });
}

function isWrite({ request }: Exchange): boolean {
  return WRITES.has(request.method ?? '');
}

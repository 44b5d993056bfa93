// Clients that end their side of the connection after the request and wait for
// the answer (RFC 9112, section 9.6): they are answered, and then the connection
// is closed.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections, Exchange } from './connections.js';

/** Longer than a reset takes to come back from a near client, and over nearly every network. */
const ASK_AGAIN_MS = [25, 250] as const;
/** "A write whose sender has gone before it was decided is not made": reads do not need to know. */
const WRITES = new Set(['POST', 'PATCH', 'DELETE']);

/**
 * Answers what is under way on a connection whose client has ended its side.
 * Node closes the connection after the newest of these answers; the response
 * write time-out counts as ever, and a request that is not complete is refused.
 */
export function answerHalfClosed(server: Server, connections: Connections): void {
  // Node's own switch, without a type: an HTTP server is made with `allowHalfOpen` either way.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket) => {
    socket.once('end', () => end(connections.underWay(socket), socket));
  });
}

function end(exchanges: readonly Exchange[], socket: Socket): void {
  const newest = exchanges.at(-1)?.response;
  if (newest?.headersSent === false) newest.shouldKeepAlive = false;
  const asked = exchanges.find(({ response }) => !response.writableEnded);
  if (asked === undefined || asked.request.httpVersion !== '1.1' || !isWrite(asked)) return;
  // A client that has gone and one that waits look alike until something is sent. An interim
  // answer, which every client of HTTP/1.1 must know (RFC 9110, section 15.2), draws a reset from
  // the one that has gone; only the next one meets it, since nothing is read here any more.
  const ask = () => {
    if (!asked.response.headersSent && socket.writable) asked.response.writeProcessing();
  };
  ask();
  const again = ASK_AGAIN_MS.map((milliseconds) => setTimeout(ask, milliseconds));
  socket.once('close', () => {
    for (const timer of again) clearTimeout(timer);
  });
}

function isWrite({ request }: Exchange): boolean {
  return WRITES.has(request.method ?? '');
}

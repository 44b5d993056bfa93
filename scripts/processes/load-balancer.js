// A small load balancer for `npm run processes`, over processes on this machine. A real deployment has
// its own.

import { once } from 'node:events';
import { request as ask, createServer } from 'node:http';

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/** @typedef {import('node:http').IncomingMessage} Incoming @typedef {import('node:http').ServerResponse} Outgoing */

/**
 * Listens on 127.0.0.1, on a free port if the given one is in use.
 * @param {number} port
 * @param {() => readonly string[]} origins The current origins of the processes.
 */
export async function startBalancer(port, origins) {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    // A foreign page may make a browser send requests to this machine.
    const { host = '', origin } = incoming.headers;
    const isForeign = origin !== undefined && !LOOPBACK.test(new URL(origin).host);
    if (isForeign || !LOOPBACK.test(host)) {
      refuse(outgoing, 403, 'only for programs on this machine; use 127.0.0.1');
      return;
    }
    const all = origins();
    turn++;
    const inTurn = all.map((_, place) => String(all[(turn + place) % all.length]));
    forward(inTurn, incoming, outgoing);
  });
  server.listen(port, '127.0.0.1').on('error', () => server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    origin: `http://127.0.0.1:${address.port}`,
    port: address.port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The next process gets the request only if the previous one refused the connection. */
function forward(
  /** @type {readonly string[]} */ [origin, ...others],
  /** @type {Incoming} */ incoming,
  /** @type {Outgoing} */ outgoing,
) {
  if (origin === undefined) {
    refuse(outgoing, 503, 'no process is reachable');
    return;
  }
  const { method, url = '/', headers } = incoming;
  const passed = ask(origin + url, { method, headers, agent: false });
  let isConnected = false;
  passed.once('socket', (socket) =>
    socket.once('connect', () => {
      isConnected = true;
      incoming.pipe(passed);
    }),
  );
  passed.once('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
    response.once('error', () => outgoing.destroy());
  });
  passed.once('error', () => {
    if (!isConnected) forward(others, incoming, outgoing);
    else if (outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, 502, 'the process ended before it responded; read before you retry');
  });
  outgoing.once('close', () => passed.destroy());
}

function refuse(
  /** @type {Outgoing} */ outgoing,
  /** @type {number} */ status,
  /** @type {string} */ message,
) {
  outgoing.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
  outgoing.end(`${message}\n`);
}

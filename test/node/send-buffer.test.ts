// What the kernel holds of an answer that is not read.

import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { limitSendBuffers, SEND_BUFFER_BYTES } from '../../src/node/send-buffer.js';

const ANSWER_BYTES = 20_000_000;

const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => {});
  socket.write(Buffer.alloc(ANSWER_BYTES));
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
});

async function listen(): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Bytes that were sent on this port and not yet taken by the other side's kernel. */
function queued(port: number): number {
  const lines = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  const sent = lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '']) => {
      return Number.parseInt(local.split(':')[1] ?? '', 16) === port;
    });
  return sent.reduce((sum, [, , , , queues = '']) => sum + Number.parseInt(queues, 16), 0);
}

/** A client that never reads, once what the kernel holds for it does not grow any more. */
async function unread(port: number): Promise<number> {
  const client = connect(port, '127.0.0.1').pause();
  sockets.add(client);
  client.on('error', () => {});
  let before = -1;
  let now = 0;
  for (let same = 0; same < 5; same = now === before && now > 0 ? same + 1 : 0) {
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 50));
    now = queued(port);
  }
  return now;
}

describe.runIf(process.platform === 'linux')('The send buffer of a connection', () => {
  it('is bounded for clients that do not read', async () => {
    const port = await listen();
    const unlimited = await unread(port);
    const granted = await limitSendBuffers(server, SEND_BUFFER_BYTES);
    expect(granted).toBe(2 * SEND_BUFFER_BYTES);
    for (const socket of sockets) socket.destroy();
    const limited = await unread(port);
    expect(unlimited).toBeGreaterThan(1_000_000);
    expect(limited).toBeLessThan(600_000);
  });

  it('leaves the server as it is where it does not listen', async () => {
    expect(await limitSendBuffers(server, SEND_BUFFER_BYTES)).toBeUndefined();
  });
});
